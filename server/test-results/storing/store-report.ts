import { hash } from 'node:crypto';
import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { announceTests, type ChangedTest } from '#server/webhook-events/announce-tests.ts';
import { followReport, judgeTests, type FollowedReport } from '../verdicts/follow-report.ts';
import { identityOf, listStates } from '../verdicts/state-store.ts';
import { requestComparison } from '../verdicts/slow-tasks.ts';
import { isMassFailure } from '../verdicts/verdict.ts';
import { recountOthers, sumSuites, type RecountedReport } from './attempt-store.ts';
import { sealFailureText } from './failure-text.ts';
import {
  findOtherWay,
  insertFailures,
  insertReport,
  lockReports,
  savePassed,
  type ReceivedReport,
  type RunOfReport,
} from './report-store.ts';
import { dayBlocks, passedBits } from './day-blocks.ts';
import type { IdentifiedCase, PreparedCases } from './prepare-report.ts';
import { addToBlocks, addToDays, upsertTests } from './test-count-store.ts';

/** An attempt with more reports is not judged again: each judgement follows all of them. */
const mostJudged = 100;

/**
 * Stores a report of a known run: the tests, their counts of the day, their failures, and what follows for their states. Reports
 * arrive in any order. Undefined if the same report is stored already, or the results of the attempt came the other way.
 */
export async function storeReport(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  about: RunOfReport,
  report: ReceivedReport,
  prepared: PreparedCases,
): Promise<string | undefined> {
  // A report is compared with others, so reports of a repository are stored one after the other.
  await lockReports(tx, integrationId, about);
  if ((await findOtherWay(tx, integrationId, report, about)) !== undefined) return undefined;
  const judged = await judgeAttempt(tx, integrationId, report);
  const counts = !judged.isMassFailure;
  const reportId = await insertReport(tx, integrationId, {
    ...report,
    isMassFailure: judged.isMassFailure,
    about,
  });
  if (reportId === undefined) return undefined;
  const others: RecountedReport[] = [];
  for (const [suites, count] of [
    [judged.counting, true],
    [judged.notCounting, false],
  ] as const)
    others.push(...(await recountOthers(tx, integrationId, { ...report, reportId, suites, counts: count })));
  const failed = await storeCases(
    tx,
    sealer,
    integrationId,
    about,
    { ...report, reportId, counts },
    prepared,
  );
  const { suite, job } = report;
  const own = { ...about, reportId, suite, job, failed, counts, isRecounted: false };
  await follow(tx, integrationId, { about, ...report }, [
    ...others.map((other) => ({ ...about, ...other, isRecounted: true })),
    ...(counts ? [own] : []),
  ]);
  return reportId;
}

interface JudgedAttempt {
  /** Of the report. */
  isMassFailure: boolean;
  /** Suites whose other reports count from now on, or no more. */
  counting: string[];
  notCounting: string[];
}

/** Whether most tests of the attempt, or of a suite in it, fail with this report, and what changes for the others. */
async function judgeAttempt(
  tx: Tx,
  integrationId: string,
  { run, attempt, suite, totals }: ReceivedReport,
): Promise<JudgedAttempt> {
  const known = await sumSuites(tx, integrationId, { run, attempt });
  const before = known.find((sums) => sums.suite === suite);
  const reports = known.reduce((sum, each) => sum + each.reports, 0);
  if (reports > mostJudged)
    return { isMassFailure: before?.isMassFailure ?? false, counting: [], notCounting: [] };
  const ran = (before?.ran ?? 0) + totals.tests - totals.skipped;
  const failed = (before?.failed ?? 0) + totals.failed;
  const own = { suite, ran, failed, isMassFailure: before?.isMassFailure };
  const suites = [...known.filter((sums) => sums !== before), own];
  const isWhole = isMassFailure(sumOf(suites));
  const changed = suites.flatMap((sums) => {
    const isMass = isWhole || isMassFailure(sums);
    return sums.isMassFailure === undefined || sums.isMassFailure === isMass ? [] : [{ ...sums, isMass }];
  });
  return {
    isMassFailure: isWhole || isMassFailure(own),
    counting: changed.filter(({ isMass }) => !isMass).map((sums) => sums.suite),
    notCounting: changed.filter(({ isMass }) => isMass).map((sums) => sums.suite),
  };
}

const sumOf = (suites: readonly { ran: number; failed: number }[]) => ({
  ran: suites.reduce((sum, { ran }) => sum + ran, 0),
  failed: suites.reduce((sum, { failed }) => sum + failed, 0),
});

/** Returns the tests that failed, or passed after a retry. */
async function storeCases(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  about: RunOfReport,
  report: ReceivedReport & { reportId: string; counts: boolean },
  prepared: PreparedCases,
): Promise<string[]> {
  const { reportId, suite, counts } = report;
  const ordinals = await upsertTests(tx, integrationId, about, suite, prepared);
  const failed: string[] = [];
  for (const portion of prepared.failures) {
    const cases = JSON.parse(Buffer.from(portion).toString()) as IdentifiedCase[];
    failed.push(...cases.map(({ testId }) => testId));
    const failures = cases.map((each) => newFailure(sealer, integrationId, reportId, each));
    await insertFailures(tx, integrationId, report, about, failures);
    if (counts) await addToDays(tx, integrationId, about, cases);
  }
  await savePassed(tx, integrationId, reportId, passedBits(ordinals, prepared));
  for (const blocks of dayBlocks(ordinals, prepared))
    await addToBlocks(tx, integrationId, about, suite, blocks);
  if (about.onMain) await requestComparison(tx, integrationId, about.at);
  return failed;
}

/** Notes what follows from the reports of an attempt for the states of tests. */
async function follow(
  tx: Tx,
  integrationId: string,
  of: Omit<Change, 'testIds'>,
  reports: readonly FollowedReport[],
): Promise<void> {
  const bySuite = new Map<string, Set<string>>();
  for (const report of reports) {
    const testIds = bySuite.get(report.suite) ?? new Set();
    bySuite.set(report.suite, testIds);
    for (const testId of await followReport(tx, integrationId, report)) testIds.add(testId);
  }
  for (const [suite, tests] of bySuite) {
    const testIds = [...tests];
    const ofSuite = { repositoryKey: of.about.repositoryKey, suite };
    await announcingChanges(tx, integrationId, { ...of, testIds }, () =>
      judgeTests(tx, integrationId, ofSuite, testIds),
    );
  }
}

function newFailure(sealer: Sealer, integrationId: string, reportId: string, each: IdentifiedCase) {
  const { testId, outcome, message, durationMs, retries } = each;
  return {
    testId,
    passed: outcome === 'passed',
    messageKey: messageKeyOf(message),
    sealedText: sealFailureText(sealer, { integrationId, testId, reportId }, each),
    durationMs,
    retries,
  };
}

/** Messages that differ in numbers only are equal. */
function messageKeyOf(message: string | null): string {
  const digest = hash('sha256', (message ?? '').replace(/\d+/g, '#').slice(0, 500), 'buffer');
  return digest.readBigInt64BE().toString();
}

interface Change {
  testIds: readonly string[];
  run: number;
  attempt: number;
  about: RunOfReport;
}

/** Runs `work`, which may change the states of the tests, and sends webhooks about those that became broken or flaky. */
async function announcingChanges(
  tx: Tx,
  integrationId: string,
  { testIds, run, attempt, about }: Change,
  work: () => Promise<void>,
): Promise<void> {
  if (testIds.length === 0) return;
  const before = new Map(
    (await listStates(tx, integrationId, testIds)).map((state) => [state.testId, state]),
  );
  await work();
  const ofRun = { runId: run, attempt, branch: about.headBranch, headSha: about.headSha };
  const after = await listStates(tx, integrationId, testIds);
  const since = (key: 'brokenSince' | 'flakySince'): ChangedTest[] =>
    after.flatMap((state) => {
      const at = state[key];
      if (at === null || (before.get(state.testId)?.[key] ?? null) !== null) return [];
      return [{ test: { ...identityOf(state), since: at.toISOString() }, run: ofRun }];
    });
  await announceTests(tx, integrationId, 'test.broken', { tests: since('brokenSince'), at: about.at });
  await announceTests(tx, integrationId, 'test.flaky', { tests: since('flakySince'), at: about.at });
}

import { hash } from 'node:crypto';
import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { announceTests, type ChangedTest } from '#server/webhook-events/announce-tests.ts';
import type { ParsedReport } from '../parsing/case-collector.ts';
import { countFlips, flipsUntilFlaky } from '../verdicts/verdict.ts';
import { sealFailureText } from './failure-text.ts';
import {
  insertFailures,
  insertReport,
  listEverFailed,
  listFailedOnCommit,
  listMainFailures,
  listMainReports,
  listPassedOnCommit,
  lockReports,
  markFlaky,
  noteEvidence,
  noteFlakes,
  updateBroken,
  type RunOfReport,
} from './report-store.ts';
import { presentIn, type IdentifiedCase, type PreparedCases } from './prepare-report.ts';
import { listStates, type StateOfTest } from './state-store.ts';
import type { ReportTotals } from './sum-report.ts';
import { addToBlocks, addToDays, upsertTests } from './test-count-store.ts';

/** A report with what its sender said about it. */
export interface ReceivedReport {
  hash: Buffer;
  run: number;
  attempt: number;
  job: string;
  jobId: number | null;
  suite: string;
  format: ParsedReport['format'];
  faults: readonly string[];
  totals: ReportTotals;
}

/** Ids of tests by the results that a report is evidence for. */
interface Results {
  failed: string[];
  flaky: string[];
  /** At the first try, as `presentIn` reads them. */
  passed: Uint8Array;
}

/**
 * Stores a report of a known run: the tests, their counts of the day, their failures, and what follows for their states. Reports
 * arrive in any order. Undefined if the same report is stored already.
 */
export async function storeReport(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  about: RunOfReport,
  report: ReceivedReport,
  prepared: PreparedCases,
): Promise<string | undefined> {
  const { totals, suite, job, attempt } = report;
  // A report is compared with those before it, so reports of a repository are stored one after the other.
  await lockReports(tx, integrationId, about);
  const passed = attempt > 1 ? Buffer.from(prepared.passed) : null;
  const reportId = await insertReport(tx, integrationId, { ...report, about, passed });
  if (reportId === undefined) return undefined;
  const leg = `${suite}\n${job}`;
  const counts = !totals.isMassFailure;
  for (const [n, tests] of prepared.tests.entries())
    await upsertTests(tx, integrationId, about, suite, { testIds: prepared.testIds[n]!, tests });
  const results: Results = { failed: [], flaky: [], passed: prepared.passed };
  for (const portion of prepared.failures) {
    const cases = JSON.parse(Buffer.from(portion).toString()) as IdentifiedCase[];
    for (const { outcome, testId } of cases) results[outcome === 'failed' ? 'failed' : 'flaky'].push(testId);
    const failures = cases.map((each) => newFailure(sealer, integrationId, reportId, each));
    await insertFailures(tx, integrationId, { ...report, reportId, leg, counts }, about, failures);
    if (counts) await addToDays(tx, integrationId, about, cases);
  }
  if (!counts) return reportId;
  for (const blocks of prepared.blocks) await addToBlocks(tx, integrationId, about, blocks);
  const again = await findOnCommit(tx, integrationId, about, { ...report, reportId, leg }, results);
  const testIds = [...new Set([...results.failed, ...results.flaky, ...again])];
  await announcingChanges(tx, integrationId, { ...report, about, testIds }, async () => {
    await noteEvidence(tx, integrationId, about.at, results);
    if (about.headSha !== null) await markFlaky(tx, integrationId, { headSha: about.headSha, leg }, again);
    if (about.onMain) await followMain(tx, integrationId, about, { job, suite, leg }, results);
  });
  return reportId;
}

function newFailure(sealer: Sealer, integrationId: string, reportId: string, each: IdentifiedCase) {
  const { testId, outcome, message, durationMs, retries } = each;
  return {
    testId,
    isFlaky: outcome !== 'failed',
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

/** Tests that failed and passed on one commit in one leg, whichever report arrives first. They are flaky. */
async function findOnCommit(
  tx: Tx,
  integrationId: string,
  { headSha }: RunOfReport,
  { leg, job, suite, reportId }: { leg: string; job: string; suite: string; reportId: string },
  { failed, passed }: Results,
): Promise<string[]> {
  if (headSha === null) return [];
  const failedElsewhere = await listFailedOnCommit(tx, integrationId, { headSha, leg, reportId });
  const passedNow = await presentIn(passed, failedElsewhere);
  const failedNow: string[] = [];
  if (failed.length > 0)
    for (const others of await listPassedOnCommit(tx, integrationId, { headSha, job, suite }))
      failedNow.push(...(await presentIn(others, failed)));
  return [...passedNow, ...failedNow];
}

/** What the results of the default branch say: which tests are broken, and which flip between failure and pass. */
async function followMain(
  tx: Tx,
  integrationId: string,
  { at, repositoryKey }: RunOfReport,
  { job, suite, leg }: { job: string; suite: string; leg: string },
  { failed, flaky, passed }: Results,
): Promise<void> {
  const everFailed = await listEverFailed(tx, integrationId, { repositoryKey, suite });
  const passedAgain = [...(await presentIn(passed, everFailed)), ...flaky];
  await updateBroken(tx, integrationId, at, { passed: passedAgain, failed });
  if (failed.length === 0) return;
  const from = new Date(at.getTime() - flakyDays * dayMs);
  const reports = await listMainReports(tx, integrationId, { repositoryKey, job, suite, from });
  const failures = await listMainFailures(tx, integrationId, { leg, from, testIds: failed });
  const byTest = Map.groupBy(failures, ({ testId }) => testId);
  await passedLater(tx, integrationId, { at, reports, byTest, failed });
  await noteFlakes(
    tx,
    integrationId,
    [...byTest].flatMap(([testId, own]) => {
      const times = own.map((each) => each.at);
      if (countFlips(reports, times) < flipsUntilFlaky) return [];
      const first = new Date(Math.min(...times.map(Number)));
      return [{ testId, first, last: at > first ? at : first }];
    }),
  );
}

/** A report that arrives late: if the newest one has no failure of a test, the test is not broken. */
async function passedLater(
  tx: Tx,
  integrationId: string,
  {
    at,
    reports,
    byTest,
    failed,
  }: {
    at: Date;
    reports: readonly Date[];
    byTest: ReadonlyMap<string, { at: Date }[]>;
    failed: readonly string[];
  },
): Promise<void> {
  const newest = reports.at(-1);
  if (newest === undefined || newest <= at) return;
  const passed = failed.filter((id) => !byTest.get(id)?.some((each) => each.at >= newest));
  await updateBroken(tx, integrationId, newest, { passed, failed: [] });
}

/** Runs `work`, which may change the states of the tests, and sends webhooks about those that became broken or flaky. */
async function announcingChanges(
  tx: Tx,
  integrationId: string,
  {
    testIds,
    run,
    attempt,
    about,
  }: { testIds: readonly string[]; run: number; attempt: number; about: RunOfReport },
  work: () => Promise<void>,
): Promise<void> {
  if (testIds.length === 0) return work();
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

function identityOf({ testId, repository, suite, className, name, file }: StateOfTest) {
  return { testId, repository, suite, className, name, file };
}

import { hash } from 'node:crypto';
import { flakyDays } from '#contract/tests/tests.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import type { ParsedReport } from '../parsing/case-collector.ts';
import { countFlips, flipsUntilFlaky } from '../verdicts/verdict.ts';
import { announcingChanges } from './announce-changes.ts';
import { sealFailureText } from './failure-text.ts';
import {
  addToDays,
  insertFailures,
  insertReport,
  listEverFailed,
  listFailedOnCommit,
  listMainFailures,
  listMainReports,
  listPassedOnCommit,
  markFlaky,
  noteEvidence,
  noteFlakes,
  updateBroken,
  upsertTests,
  type RunOfReport,
} from './report-store.ts';
import { identify, type IdentifiedCase, type ReportTotals } from './sum-report.ts';

/** A report with what its sender said about it. */
export interface ReceivedReport {
  hash: Buffer;
  run: number;
  attempt: number;
  job: string;
  jobId: number | null;
  suite: string;
  parsed: ParsedReport;
  totals: ReportTotals;
}

/** Results of tests that a report is evidence for. */
interface Results {
  failed: IdentifiedCase[];
  flaky: IdentifiedCase[];
  /** At the first try. */
  passed: IdentifiedCase[];
}

const idsOf = (cases: readonly IdentifiedCase[]): string[] => cases.map(({ testId }) => testId);

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
): Promise<string | undefined> {
  const { parsed, totals, suite, job, attempt } = report;
  const cases = identify(parsed, { repositoryKey: about.repositoryKey, suite });
  // In one order, so that two reports of the same tests do not lock each other.
  cases.sort((a, b) => (a.testId < b.testId ? -1 : 1));
  const results = resultsOf(cases);
  const isRerun = attempt > 1;
  const reportId = await insertReport(tx, integrationId, {
    ...report,
    format: parsed.format,
    faults: parsed.faults,
    about,
    passed: isRerun ? packIds(idsOf(results.passed)) : null,
  });
  if (reportId === undefined) return undefined;
  const leg = `${suite}\n${job}`;
  const counts = !totals.isMassFailure;
  await upsertTests(tx, integrationId, about, suite, cases);
  await insertFailures(
    tx,
    integrationId,
    { ...report, reportId, leg, counts },
    about,
    [...results.failed, ...results.flaky].map((each) => newFailure(sealer, integrationId, reportId, each)),
  );
  if (!counts) return reportId;
  await addToDays(tx, integrationId, about, cases);
  const again = await findOnCommit(tx, integrationId, about, { ...report, reportId, leg }, results);
  const evidence = { failed: idsOf(results.failed), flaky: idsOf(results.flaky) };
  const testIds = [...new Set([...evidence.failed, ...evidence.flaky, ...again])];
  await announcingChanges(tx, integrationId, { ...report, about, testIds }, async () => {
    await noteEvidence(tx, integrationId, about.at, evidence);
    if (about.headSha !== null) await markFlaky(tx, integrationId, { headSha: about.headSha, leg }, again);
    if (about.onMain) await followMain(tx, integrationId, about, { job, suite, leg }, results);
  });
  return reportId;
}

function resultsOf(cases: readonly IdentifiedCase[]): Results {
  const passed = cases.filter(({ outcome }) => outcome === 'passed');
  return {
    failed: cases.filter(({ outcome }) => outcome === 'failed'),
    flaky: passed.filter(({ retries }) => retries > 0),
    passed: passed.filter(({ retries }) => retries === 0),
  };
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
  const failedElsewhere = new Set(await listFailedOnCommit(tx, integrationId, { headSha, leg, reportId }));
  const passedNow = idsOf(passed).filter((id) => failedElsewhere.has(id));
  const passedElsewhere =
    failed.length === 0
      ? new Set<string>()
      : unpackIds(await listPassedOnCommit(tx, integrationId, { headSha, job, suite }));
  const failedNow = idsOf(failed).filter((id) => passedElsewhere.has(id));
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
  const everFailed = new Set(await listEverFailed(tx, integrationId, { repositoryKey, suite }));
  const passedAgain = idsOf([...passed, ...flaky]).filter((id) => everFailed.has(id));
  await updateBroken(tx, integrationId, at, { passed: passedAgain, failed: idsOf(failed) });
  if (failed.length === 0) return;
  const from = new Date(at.getTime() - flakyDays * dayMs);
  const reports = await listMainReports(tx, integrationId, { repositoryKey, job, suite, from });
  const failures = await listMainFailures(tx, integrationId, { leg, from, testIds: idsOf(failed) });
  const byTest = Map.groupBy(failures, ({ testId }) => testId);
  await passedLater(tx, integrationId, { at, reports, byTest, failed: idsOf(failed) });
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

const idBytes = 16;

function packIds(ids: readonly string[]): Buffer {
  return Buffer.from(ids.map((id) => id.replaceAll('-', '')).join(''), 'hex');
}

function unpackIds(packed: readonly Buffer[]): Set<string> {
  const ids = new Set<string>();
  for (const bytes of packed)
    for (let at = 0; at + idBytes <= bytes.length; at += idBytes) {
      const hex = bytes.toString('hex', at, at + idBytes);
      ids.add(
        `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
      );
    }
  return ids;
}

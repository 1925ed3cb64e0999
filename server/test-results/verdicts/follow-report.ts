import type { Tx } from '#platform/database/database.ts';
import { markFlakes } from './commit-store.ts';
import {
  findOtherReport,
  listEverFailed,
  listPassedAgain,
  newestByJob,
  noteFailures,
  readEvidence,
  saveVerdicts,
} from './evidence-store.ts';
import { markFlips, noteFollowedPasses } from './flip-store.ts';
import { activeJobs, verdictOf } from './verdict.ts';

export interface FollowedReport {
  repositoryKey: string;
  headSha: string | null;
  onMain: boolean;
  at: Date;
  reportId: string;
  suite: string;
  job: string;
  /** Tests that failed, or passed after a retry. */
  failed: readonly string[];
  /** Its results count. */
  counts: boolean;
  /** It was stored before, and its results count from now on or no more. */
  isRecounted: boolean;
}

/** Statements about more tests are divided. */
const testsAtOnce = 1000;

/**
 * Notes what a stored report says about failures, as far as it counts: which are flakes, and which follow a pass.
 * @returns the tests whose verdicts it can change
 */
export async function followReport(tx: Tx, integrationId: string, report: FollowedReport): Promise<string[]> {
  const { headSha, onMain, at, failed, counts } = report;
  if (counts) await noteFailures(tx, integrationId, at, failed);
  const flakes = headSha === null ? [] : await markFlakes(tx, integrationId, { ...report, headSha });
  const others = onMain ? await followMain(tx, integrationId, report) : [];
  return [...new Set([...failed, ...flakes, ...others])];
}

async function followMain(tx: Tx, integrationId: string, own: FollowedReport): Promise<string[]> {
  const { failed, isRecounted } = own;
  const passedAgain = await listPassedAgain(tx, integrationId, own);
  const passedBefore = passedAgain.flatMap(({ testId, failedLater }) => (failedLater ? [testId] : []));
  for (const testIds of portions([...new Set([...failed, ...passedBefore])])) {
    const changed = await noteFollowedPasses(tx, integrationId, own, testIds);
    await markFlips(tx, integrationId, own, isRecounted ? testIds : changed);
  }
  const others =
    isRecounted || (await changesActiveJobs(tx, integrationId, own))
      ? await listEverFailed(tx, integrationId, own)
      : [];
  return [...passedAgain.map(({ testId }) => testId), ...others];
}

/** Whether a job has become inactive, or active again, by this report. */
async function changesActiveJobs(
  tx: Tx,
  integrationId: string,
  own: { repositoryKey: string; suite: string; job: string; reportId: string },
): Promise<boolean> {
  const jobs = await newestByJob(tx, integrationId, own);
  const after = new Set(activeJobs(jobs));
  const other = await findOtherReport(tx, integrationId, own);
  if (other === undefined) jobs.delete(own.job);
  else jobs.set(own.job, other);
  const before = new Set(activeJobs(jobs));
  return [...jobs.keys()].some((job) => before.has(job) !== after.has(job));
}

/** Judges tests of a suite. The verdicts follow from what is stored, whatever the order of its arrival. */
export async function judgeTests(
  tx: Tx,
  integrationId: string,
  suite: { repositoryKey: string; suite: string },
  testIds: readonly string[],
): Promise<void> {
  if (testIds.length === 0) return;
  const active = activeJobs(await newestByJob(tx, integrationId, suite));
  for (const some of portions(testIds)) {
    const evidence = await readEvidence(tx, integrationId, { ...suite, activeJobs: active }, some);
    const verdicts = [...evidence].map(([testId, each]) => ({ testId, ...verdictOf(each) }));
    await saveVerdicts(tx, integrationId, verdicts);
  }
}

function portions(testIds: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(testIds.length / testsAtOnce) }, (_, n) =>
    testIds.slice(n * testsAtOnce, (n + 1) * testsAtOnce),
  );
}

import type { CheckVerdict } from '#contract/failures/check-verdict.ts';
import type { CheckFailure } from '#contract/failures/failures.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import { sentAhead, type Tx } from '#platform/database/database.ts';
import type { JobRow } from '#server/runs/objects/job.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import type { RunRow } from '#server/runs/objects/run.ts';
import { readWorkflowStates } from '#server/runs/latest/workflow-states.ts';
import { readFlakyTests } from '#server/test-results/reading/read-tests.ts';
import { verdictOf, type VerdictFacts } from './check-verdict.ts';
import {
  findDefaultBranch,
  listBaseJobs,
  listJobGroups,
  listSameFailures,
  listUntested,
} from './verdict-store.ts';

/** Failed jobs with a verdict in one answer. */
const maxVerdicts = 100;

/** By id. Runs have one if they failed without a failed job. */
export interface Verdicts {
  jobs: Map<number, CheckVerdict>;
  runs: Map<number, CheckVerdict>;
}

export const noVerdicts: Verdicts = { jobs: new Map(), runs: new Map() };

/** What each failed check of the newest commit of an open pull request means at present. */
export async function readVerdicts(
  tx: Tx,
  integrationId: string,
  pull: PullRequestRow,
  runs: readonly RunRow[],
  jobs: readonly JobRow[],
  failures: ReadonlyMap<number, CheckFailure>,
): Promise<Verdicts> {
  const runOf = new Map(runs.map((run) => [run.runId, run]));
  const failed = jobs
    .filter(({ runId, conclusion }) => isFailed(conclusion) && runOf.has(runId))
    .slice(0, maxVerdicts);
  const withJobs = new Set(failed.map(({ runId }) => runId));
  const alone = runs.filter(({ runId, conclusion }) => isFailed(conclusion) && !withJobs.has(runId));
  const checked = [...runs.filter(({ runId }) => withJobs.has(runId)), ...alone];
  if (checked.length === 0) return noVerdicts;
  const [baseOf, groupOf] = await Promise.all([
    readBases(tx, pull, checked, failed),
    readGroups(tx, integrationId, pull, failed),
  ]);
  const ofJob = (job: JobRow): CheckVerdict => {
    const { groupId, ...facts } = groupOf(job.jobId);
    const assessment = failures.get(job.jobId)?.assessment ?? null;
    return verdictOf({ assessment, ...facts, ...baseOf(runOf.get(job.runId)!, job.name, groupId) });
  };
  const ofRun = (run: RunRow): CheckVerdict =>
    verdictOf({ assessment: null, group: null, others: [], ...baseOf(run, null, null) });
  return {
    jobs: new Map(failed.map((job) => [job.jobId, ofJob(job)])),
    runs: new Map(alone.map((run) => [run.runId, ofRun(run)])),
  };
}

type GroupFacts = Pick<VerdictFacts, 'group' | 'others'> & { groupId: string | null };

/** The failure group of each job, and where else it occurs. */
async function readGroups(
  tx: Tx,
  integrationId: string,
  { number, headSha }: PullRequestRow,
  failed: readonly JobRow[],
): Promise<(jobId: number) => GroupFacts> {
  const groups = await listJobGroups(tx, integrationId, failed);
  const testIds = groups.flatMap(({ onlyTestId }) => onlyTestId ?? []);
  const [same, flaky] = await Promise.all([
    listSameFailures(tx, integrationId, [...new Set(groups.map(({ groupId }) => groupId))], headSha ?? ''),
    readFlakyTests(tx, integrationId, testIds),
  ]);
  const facts = groups.map(({ jobId, groupId, isSpecific, onlyTestId }): [number, GroupFacts] => {
    const flakyTestId = onlyTestId !== null && flaky.has(onlyTestId) ? onlyTestId : null;
    const others = same
      .filter((each) => each.groupId === groupId && each.number !== number)
      .map((each) => ({ number: each.number, runId: each.runId }));
    return [jobId, { groupId, group: { isSpecific, flakyTestId }, others }];
  });
  const byJob = new Map(facts);
  return (jobId) => byJob.get(jobId) ?? { groupId: null, group: null, others: [] };
}

/** `job` null asks for the result of the whole workflow. */
type FindBase = (
  run: RunRow,
  job: string | null,
  groupId: string | null,
) => Pick<VerdictFacts, 'base' | 'isUntested'>;

/** The newest results of the workflows on the base branch of the pull request. */
async function readBases(
  tx: Tx,
  { integrationId, repository, baseBranch }: PullRequestRow,
  runs: readonly RunRow[],
  failed: readonly JobRow[],
): Promise<FindBase> {
  const workflows = new Set(runs.map(({ workflowName }) => workflowName ?? ''));
  const isDefault =
    baseBranch === null || baseBranch === (await findDefaultBranch(tx, integrationId, repository));
  const states = await readWorkflowStates(tx, integrationId, {
    branch: isDefault ? undefined : baseBranch,
    names: [...workflows].map((workflow) => ({ repository, workflow })),
  });
  const lastOf = new Map(states.map(({ workflow, last }) => [workflow, last]));
  const bases = runs.flatMap((run) => {
    const last = lastOf.get(run.workflowName ?? '');
    return last ? [{ runId: last.runId, attempt: last.attempt, checkedAt: run.createdAt }] : [];
  });
  const untested = sentAhead(listUntested(tx, integrationId, bases));
  const jobs = await listBaseJobs(tx, integrationId, bases, [...new Set(failed.map(({ name }) => name))]);
  const jobOf = new Map(jobs.map((job) => [`${job.runId} ${job.name}`, job]));
  const withoutTest = new Set(await untested);
  return ({ workflowName }, name, groupId) => {
    const last = lastOf.get(workflowName ?? '');
    if (!last) return { base: null, isUntested: false };
    const { runId, branch } = last;
    const job = name === null ? undefined : jobOf.get(`${runId} ${name}`);
    const isUntested = withoutTest.has(runId);
    if (name === null)
      return {
        base: { branch, runId, conclusion: last.conclusion, at: last.completedAt, isSame: false },
        isUntested,
      };
    if (job === undefined) return { base: null, isUntested };
    const { conclusion, at } = job;
    const isSame = groupId !== null && job.groupId === groupId;
    return { base: { branch, runId, conclusion, at: at?.toISOString() ?? null, isSame }, isUntested };
  };
}

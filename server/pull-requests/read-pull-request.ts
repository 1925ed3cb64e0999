import type { Check, Commit, PullRequestDetail, RequiredChecks } from '#contract/runs/pull-requests.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { showTime } from '#platform/runtime/times.ts';
import { readCheckFailures } from '#server/failures/run-failures/read-check-failures.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { readGreenToMerge } from '#server/runs/green/green-to-merge.ts';
import { runObject, type RunRow } from '#server/runs/objects/run.ts';
import { readTestTotals } from '#server/test-results/reading/read-run-tests.ts';
import { listJobsOfRuns, listMergeQueueRuns, listRunsOf } from './check-store.ts';
import { decideReview, pullRequestObject } from './pull-request-items.ts';
import { findNumbered } from './pull-request-store.ts';
import { isRequired, requiredChecks as requiredChecksOf } from './required/required-states.ts';
import { findRequired, type RequiredRow } from './required/required-store.ts';
import { listReviews } from './review-store.ts';
import { newestRuns } from '#server/runs/green/newest-runs.ts';
import { summarizeChecks } from './summarize-checks.ts';
import { noVerdicts, readVerdicts } from './verdicts/read-verdicts.ts';

const maxRuns = 200;
const maxCommits = 20;
/** A matrix has at most 256 jobs. */
const maxJobs = 1000;

/**
 * A pull request with the checks of all its commits, newest first.
 * @throws AppError `not_found`; `invalid_request` when several repositories have the number.
 */
export async function readPullRequest(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  number: number,
  repository: string | undefined,
): Promise<PullRequestDetail> {
  const [row, other] = await findNumbered(tx, integrationId, number, repository);
  if (row === undefined) throw new AppError('not_found', { detail: 'Pull request not found.' });
  if (other !== undefined)
    throw invalidField('repository', 'is needed, because several repositories have this number');
  const { baseBranch: branch } = row;
  const [runs, queued, required, green, reviews] = await Promise.all([
    listRunsOf(tx, row, maxRuns + 1),
    listMergeQueueRuns(tx, row),
    findRequired(tx, integrationId, { repository: row.repository, branch: branch ?? '' }),
    row.merged ? readGreenToMerge(tx, integrationId, [row]) : new Map<number, number>(),
    listReviews(tx, integrationId, [row]),
  ]);
  const all = commitsOf(runs.slice(0, maxRuns), row.headSha);
  const commits = all.slice(0, maxCommits);
  const { checks, requiredChecks, isComplete } = await readChecks(tx, sealer, row, {
    commits,
    queued,
    required,
  });
  return {
    pullRequest: pullRequestObject(row),
    requiredChecks,
    review: decideReview(reviews),
    greenToMergeMs: green.get(0) ?? null,
    reviews: reviews.map(({ author, state, commit_sha: commitSha, url, submitted_at: at }) => ({
      author,
      state,
      commitSha,
      url,
      submittedAt: at?.toISOString() ?? null,
    })),
    commits: commits.map(({ sha, runs: ofCommit }): Commit => ({
      sha,
      title:
        ofCommit.find(({ commitMessage }) => commitMessage !== null)?.commitMessage?.split('\n', 1)[0] ??
        null,
      summary: summarizeChecks(ofCommit),
      checks: ofCommit.map((run) => checks.get(run.runId)!),
    })),
    mergeQueue: queued.map(({ runId }) => checks.get(runId)!),
    isComplete: isComplete && runs.length <= maxRuns && all.length <= maxCommits,
  };
}

interface CommitRuns {
  sha: string;
  runs: RunRow[];
}

/** The newest commit of the pull request comes first. The others are in the order of their newest runs. */
function commitsOf(runs: readonly RunRow[], headSha: string | null): CommitRuns[] {
  const bySha = Map.groupBy(runs, (run) => run.headSha ?? '');
  const head = headSha === null ? [] : [{ sha: headSha, runs: bySha.get(headSha) ?? [] }];
  bySha.delete(headSha ?? '');
  return [...head, ...[...bySha].map(([sha, ofCommit]) => ({ sha, runs: ofCommit }))];
}

/** The runs with their jobs, reasons and verdicts, by run. */
async function readChecks(
  tx: Tx,
  sealer: Sealer,
  pull: PullRequestRow,
  {
    commits,
    queued,
    required,
  }: { commits: readonly CommitRuns[]; queued: readonly RunRow[]; required: RequiredRow },
): Promise<{ checks: Map<number, Check>; requiredChecks: RequiredChecks; isComplete: boolean }> {
  const { integrationId, headSha, state } = pull;
  const runs = [...commits.flatMap((commit) => commit.runs), ...queued];
  const jobs = await listJobsOfRuns(tx, integrationId, runs, maxJobs + 1);
  const shown = jobs.slice(0, maxJobs);
  const [failures, tests] = await Promise.all([
    readCheckFailures(tx, integrationId, shown),
    readTestTotals(tx, sealer, integrationId, runs),
  ]);
  const newest = newestRuns(commits.find(({ sha }) => sha === headSha)?.runs ?? []);
  const verdicts =
    state === 'open' ? await readVerdicts(tx, integrationId, pull, newest, shown, failures) : noVerdicts;
  const jobsOf = Map.groupBy(shown, ({ runId }) => runId);
  const reportedBy = ({ workflowName, event }: RunRow) => ({ workflow: workflowName, event });
  const checks = runs.map((run): [number, Check] => [
    run.runId,
    {
      run: runObject(run),
      jobs: (jobsOf.get(run.runId) ?? []).map((job) => ({
        jobId: job.jobId,
        name: job.name,
        status: job.status,
        conclusion: job.conclusion,
        url: job.url,
        startedAt: showTime(job.startedAt),
        completedAt: showTime(job.completedAt),
        failure: failures.get(job.jobId) ?? null,
        isRequired: isRequired(required, { ...reportedBy(run), name: job.name }),
        verdict: verdicts.jobs.get(job.jobId) ?? null,
      })),
      verdict: verdicts.runs.get(run.runId) ?? null,
      tests: tests.get(run.runId) ?? null,
    },
  ]);
  const reported = newest.flatMap((run) =>
    (jobsOf.get(run.runId) ?? []).map((job) => ({ ...job, ...reportedBy(run) })),
  );
  return {
    checks: new Map(checks),
    requiredChecks: requiredChecksOf(required, reported),
    isComplete: jobs.length <= maxJobs,
  };
}

import type { Tx } from '#platform/database/database.ts';
import { columnList } from '#platform/database/rows/multi-row.ts';
import { selectRows } from '#platform/database/rows/select-rows.ts';
import { isMaybeOfFork } from '#server/runs/objects/head-repository.ts';
import { jobTable, type JobRow } from '#server/runs/objects/job.ts';
import type { PullRequestRow } from '#server/runs/objects/pull-request.ts';
import { runTable, type RunRow } from '#server/runs/objects/run.ts';

/** What the state of a commit is computed from. */
export type CheckedRun = Pick<
  RunRow,
  'workflowPath' | 'workflowName' | 'event' | 'status' | 'conclusion' | 'errorLine'
>;

const checkedColumns = `r.workflow_path as "workflowPath", r.workflow_name as "workflowName", r.event, r.status, r.conclusion,
  r.error_line as "errorLine"`;

/** Runs of the merge queue that are read of one pull request. */
const maxQueued = 30;

/** Runs of one commit that are read. A commit of a schedule has more of them than anybody looks at. */
const maxRunsOfCommit = 200;

/** The runs of commits, newest first, each with the index of its commit. */
export async function listCheckedRuns(
  tx: Tx,
  integrationId: string,
  commits: readonly { repository: string; sha: string }[],
): Promise<(CheckedRun & { place: number })[]> {
  if (commits.length === 0) return [];
  return tx.rows<CheckedRun & { place: number }>({
    text: `select k.place::int - 1 as place, ${checkedColumns}
           from unnest($2::text[], $3::text[]) with ordinality k (repository, sha, place)
           cross join lateral (
             select * from workflow_runs r
             where r.integration_id = $1 and r.head_sha = k.sha and r.repository = k.repository limit ${maxRunsOfCommit}) r
           order by k.place, r.created_at desc, r.run_id desc`,
    values: [integrationId, commits.map(({ repository }) => repository), commits.map(({ sha }) => sha)],
  });
}

/** Runs of a branch that are searched for those of one pull request. */
const maxScanned = 1000;

/** A run that names no pull request belongs to one by branch and time: runs of forks, and all runs of Forgejo. */
const isUnnamed = `r.pull_requests = '{}' and r.created_at >= $7::timestamptz
  and r.created_at <= coalesce($8::timestamptz, 'infinity')`;

/** The newest runs of the branch, with a condition of the index. */
const ofBranch = (condition: string): string => `
  select r.* from workflow_runs r where r.integration_id = $1 and r.branch_key = hashtextextended($4::text, 0) ${condition}
  order by r.created_at desc, r.run_id desc limit ${maxScanned}`;

/** The runs of all commits of a pull request, newest first. */
export async function listRunsOf(
  tx: Tx,
  { integrationId, repository, number, headSha, headBranch, headRepository, ...times }: PullRequestRow,
  limit: number,
): Promise<RunRow[]> {
  return selectRows(tx, runTable, {
    text: `with found as (
             (select r.run_id from workflow_runs r where r.integration_id = $1 and r.head_sha = $5 and r.repository = $2
              limit ${maxRunsOfCommit})
             union (select r.run_id from (${ofBranch('')}) r where r.repository = $2 and ($3::bigint = any (r.pull_requests)
               or $6::text = $2 and coalesce(r.head_repository, $2) = $2 and ${isUnnamed}))
             union (select r.run_id from (${ofBranch('and r.head_repository is distinct from r.repository')}) r
               where r.repository = $2 and $6::text <> $2 and ${isMaybeOfFork('r', '$6::text')} and ${isUnnamed}))
           select ${columnList(runTable, 'r.')} from found f
           join workflow_runs r on r.integration_id = $1 and r.run_id = f.run_id
           order by r.created_at desc, r.run_id desc limit ${limit}`,
    values: [
      integrationId,
      repository,
      number,
      headBranch,
      headSha,
      headRepository,
      timeText(times.createdAt) ?? '-infinity',
      timeText(times.closedAt),
    ],
  });
}

const timeText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The runs of the merge queue that tested a pull request, newest first. */
export async function listMergeQueueRuns(
  tx: Tx,
  { integrationId, repository, number }: PullRequestRow,
): Promise<RunRow[]> {
  return selectRows(tx, runTable, {
    text: `select ${columnList(runTable, 'r.')} from workflow_runs r
           where r.integration_id = $1 and r.first_pull_request = $3 and r.repository = $2 and r.event = 'merge_group'
           order by r.created_at desc, r.run_id desc limit ${maxQueued}`,
    values: [integrationId, repository, number],
  });
}

/** The runs of the newest commits with which the merge queue tested pull requests, each with the index of its pull request. */
export async function listQueuedChecks(
  tx: Tx,
  integrationId: string,
  pulls: readonly Pick<PullRequestRow, 'repository' | 'number' | 'state'>[],
): Promise<(CheckedRun & { place: number })[]> {
  return tx.rows<CheckedRun & { place: number }>({
    text: `select k.place::int - 1 as place, ${checkedColumns}
           from unnest($2::text[], $3::bigint[]) with ordinality k (repository, number, place)
           cross join lateral (
             select r.*, first_value(r.head_sha) over (order by r.created_at desc, r.run_id desc) as newest_sha
             from workflow_runs r
             where r.integration_id = $1 and r.first_pull_request = k.number and r.repository = k.repository
               and r.event = 'merge_group'
             order by r.created_at desc, r.run_id desc limit ${maxQueued}) r
           where r.head_sha = r.newest_sha order by k.place, r.created_at desc, r.run_id desc`,
    // Closed ones are not in the queue any more.
    values: [
      integrationId,
      pulls.map(({ repository, state }) => (state === 'open' ? repository : '')),
      pulls.map(({ number }) => number),
    ],
  });
}

/** The jobs of the newest attempts of runs, in the order of the runs. */
export async function listJobsOfRuns(
  tx: Tx,
  integrationId: string,
  runs: readonly Pick<RunRow, 'runId' | 'attempt'>[],
  limit: number,
): Promise<JobRow[]> {
  if (runs.length === 0) return [];
  return selectRows(tx, jobTable, {
    text: `select ${columnList(jobTable, 'j.')}
           from unnest($2::bigint[], $3::integer[]) with ordinality k (run_id, attempt, place)
           cross join lateral (
             select * from workflow_jobs j where j.integration_id = $1 and j.run_id = k.run_id and j.attempt = k.attempt
             limit ${limit}) j
           order by k.place, j.created_at, j.job_id limit ${limit}`,
    values: [integrationId, runs.map(({ runId }) => runId), runs.map(({ attempt }) => attempt)],
  });
}

import type { Tx } from '#platform/database/database.ts';
import { maxCountedRuns } from '#contract/failures/failures.ts';

/** A group on a branch. `branch` null means the default branch, without runs of forks whose branch has the same name. */
export interface GroupOnBranch {
  integrationId: string;
  groupId: string;
  repository: string;
  workflow: string | null;
  job: string;
  branch: string | null;
}

/** Runs searched for the last success of a job, newest first. */
const maxRuns = 200;

const valuesOf = ({ integrationId, groupId, repository, workflow, job, branch }: GroupOnBranch) => [
  integrationId,
  groupId,
  repository,
  workflow ?? '',
  job,
  branch,
];

const onBranch = ({ branch }: GroupOnBranch, table: string): string =>
  branch === null
    ? `${table}.on_default_branch and $6::text is null`
    : `${table}.branch_key = hashtextextended($6::text, 0)`;

/** The last run before `before` in which the job succeeded, and when. */
const passed = (where: GroupOnBranch, before: string): string => `
  select r.*, p.at from (
    select * from workflow_runs w
    where w.integration_id = $1 and ${onBranch(where, 'w')}
      and w.workflow_key = hashtextextended($4::text, hashtextextended($3::text, 0))
    order by w.created_at desc limit ${maxRuns}) r
  cross join lateral (
    select max(j.completed_at) as at from workflow_jobs j
    where j.integration_id = $1 and j.run_id = r.run_id and j.name = $5 and j.conclusion = 'success') p
  where p.at < ${before}
  order by r.created_at desc limit 1`;

export interface StreakRow {
  runs: number;
  since: Date | null;
}

/** The failures after the last success of the job; none when the job succeeds again. */
export async function countStreak(tx: Tx, where: GroupOnBranch): Promise<StreakRow> {
  const { rows } = await tx.query<StreakRow>({
    text: `with passed as (${passed(where, `'infinity'`)})
           select count(distinct run_id)::int as runs, min(failed_at) as since from (
             select f.run_id, f.failed_at from failure_reasons f
             where f.integration_id = $1 and f.failure_group_id = $2 and ${onBranch(where, 'f')}
               and f.failed_at > coalesce((select at from passed), '-infinity')
             order by f.failed_at desc limit ${maxCountedRuns}) o`,
    values: valuesOf(where),
  });
  return rows[0] ?? { runs: 0, since: null };
}

export interface PointRow {
  run_id: string;
  run_number: string | null;
  head_sha: string | null;
  title: string | null;
  actor: string | null;
  url: string | null;
  created_at: Date;
}

export interface StartRow extends PointRow {
  branch: string | null;
  green: (Omit<PointRow, 'created_at' | 'run_id'> & { run_id: number; created_at: string }) | null;
}

/** The first failed run after the last success before the newest failure, and that success. */
export async function findStart(tx: Tx, where: GroupOnBranch): Promise<StartRow | undefined> {
  const { rows } = await tx.query<StartRow>({
    text: `with newest as (
             select max(f.failed_at) as at from failure_reasons f
             where f.integration_id = $1 and f.failure_group_id = $2 and ${onBranch(where, 'f')}),
           passed as materialized (${passed(where, '(select at from newest)')}),
           first as (
             select f.run_id from failure_reasons f
             where f.integration_id = $1 and f.failure_group_id = $2 and ${onBranch(where, 'f')}
               and f.failed_at > coalesce((select at from passed), '-infinity')
             order by f.failed_at limit 1)
           select r.run_id, r.run_number, r.head_sha, r.title, r.actor, r.url, r.created_at, r.head_branch as branch,
             (select json_build_object('run_id', p.run_id, 'run_number', p.run_number, 'head_sha', p.head_sha,
                'title', p.title, 'actor', p.actor, 'url', p.url, 'created_at', p.created_at) from passed p) as green
           from first join workflow_runs r on r.integration_id = $1 and r.run_id = first.run_id`,
    values: valuesOf(where),
  });
  return rows[0];
}

/** Whether the default branch has failures of the group, and the branch of the newest failure. */
export async function findAffected(
  tx: Tx,
  integrationId: string,
  groupId: string,
): Promise<{ on_default: boolean; newest_branch: string | null } | undefined> {
  const { rows } = await tx.query<{ on_default: boolean; newest_branch: string | null }>(
    `select exists (
       select from failure_reasons f
       where f.integration_id = $1 and f.failure_group_id = $2 and f.on_default_branch) as on_default,
       branch as newest_branch
     from failure_reasons where integration_id = $1 and failure_group_id = $2 order by failed_at desc limit 1`,
    [integrationId, groupId],
  );
  return rows[0];
}

/** Whether an earlier run of the branch has a failure of the group. */
export async function failedBefore(
  tx: Tx,
  { integrationId, groupId, branch }: Pick<GroupOnBranch, 'integrationId' | 'groupId' | 'branch'>,
  runId: number,
  failedAt: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from failure_reasons where integration_id = $1 and failure_group_id = $2
       and branch_key = hashtextextended($3::text, 0) and failed_at < $4 and run_id <> $5 limit 1`,
    [integrationId, groupId, branch, failedAt, runId],
  );
  return rowCount === 1;
}

/** Failures whose re-runs are looked at. */
const maxReruns = 100;

/** How often the job of a failure was re-run, and how often it then succeeded. */
export async function countReruns(
  tx: Tx,
  integrationId: string,
  groupId: string,
): Promise<{ reruns: number; passed: number }> {
  const { rows } = await tx.query<{ reruns: number; passed: number }>(
    `select count(later.passed)::int as reruns, count(*) filter (where later.passed)::int as passed
     from (select run_id, attempt, job from failure_reasons where integration_id = $1 and failure_group_id = $2
           order by failed_at desc limit ${maxReruns}) f
     cross join lateral (
       select bool_or(j.conclusion = 'success') as passed from workflow_jobs j
       where j.integration_id = $1 and j.run_id = f.run_id and j.attempt = f.attempt + 1 and j.name = f.job
         and j.conclusion in ('success', 'failure', 'timed_out')) later`,
    [integrationId, groupId],
  );
  return rows[0] ?? { reruns: 0, passed: 0 };
}

import type { Tx } from '#platform/database/database.ts';
import type { RunPointRow } from '#server/runs/run-point.ts';
import {
  isAfterPassed,
  otherBranches,
  passed,
  reruns,
  streak,
  type StreakTerms,
} from './streak-sql-store.ts';

/** A group on a branch. `branch` null means the default branch, without runs of forks whose branch has the same name. */
export interface GroupOnBranch {
  integrationId: string;
  groupId: string;
  repository: string;
  workflow: string | null;
  job: string;
  branch: string | null;
  /** Nothing after this time counts. */
  failedAt: string;
}

const valuesOf = ({ integrationId, groupId, repository, workflow, job, branch, failedAt }: GroupOnBranch) => [
  integrationId,
  groupId,
  repository,
  workflow ?? '',
  job,
  branch,
  failedAt,
];

const termsOf = ({ branch }: GroupOnBranch): StreakTerms => ({
  groupId: '$2',
  workflowKey: 'hashtextextended($4::text, hashtextextended($3::text, 0))',
  job: '$5',
  at: '$7::timestamptz',
  onBranch: (table) =>
    branch === null
      ? `${table}.on_default_branch and $6::text is null`
      : `${table}.branch_key = hashtextextended($6::text, 0)`,
});

export interface StreakRow {
  runs: number;
  since: Date | null;
}

/** The failures after the last success of the job, as of `failedAt`. */
export async function countStreak(tx: Tx, where: GroupOnBranch): Promise<StreakRow> {
  const row = await tx.row<StreakRow>({ text: streak(termsOf(where)), values: valuesOf(where) });
  return row ?? { runs: 0, since: null };
}

export interface PointRow extends RunPointRow {
  url: string | null;
}

export interface StartRow extends PointRow {
  branch: string | null;
  green: PointRow | null;
}

/** The first failed run after the last success before the newest failure, and that success. */
export async function findStart(tx: Tx, where: GroupOnBranch): Promise<StartRow | undefined> {
  const terms = termsOf(where);
  return tx.row<StartRow>({
    text: `with newest as (
             select max(f.failed_at) as at from failure_reasons f
             where f.integration_id = $1 and f.failure_group_id = $2 and ${terms.onBranch('f')} and f.failed_at <= $7::timestamptz),
           passed as materialized (${passed(terms, '(select at from newest)')}),
           first as (
             select f.run_id from failure_reasons f
             where f.integration_id = $1 and f.failure_group_id = $2 and ${terms.onBranch('f')}
               and ${isAfterPassed('f')} and f.failed_at <= $7::timestamptz
             order by f.failed_at limit 1)
           select r.run_id, r.run_number, r.head_sha, r.title, r.actor, r.url, r.created_at, r.head_branch as branch,
             (select json_build_object('run_id', p.run_id, 'run_number', p.run_number, 'head_sha', p.head_sha,
                'title', p.title, 'actor', p.actor, 'url', p.url, 'created_at', p.created_at) from passed p) as green
           from first join workflow_runs r on r.integration_id = $1 and r.run_id = first.run_id`,
    values: valuesOf(where),
  });
}

/** Whether the default branch has failures of the group, and the branch of the newest failure. */
export function findAffected(
  tx: Tx,
  integrationId: string,
  groupId: string,
): Promise<{ on_default: boolean; newest_branch: string | null } | undefined> {
  return tx.row<{ on_default: boolean; newest_branch: string | null }>(
    `select exists (
       select from failure_reasons f
       where f.integration_id = $1 and f.failure_group_id = $2 and f.on_default_branch) as on_default,
       branch as newest_branch
     from failure_reasons where integration_id = $1 and failure_group_id = $2 order by failed_at desc limit 1`,
    [integrationId, groupId],
  );
}

/** Whether an earlier run of the branch has a failure of the group. */
export function failedBefore(
  tx: Tx,
  { integrationId, groupId, branch }: Pick<GroupOnBranch, 'integrationId' | 'groupId' | 'branch'>,
  runId: number,
  failedAt: string,
): Promise<boolean> {
  return tx.some(
    `select 1 from failure_reasons where integration_id = $1 and failure_group_id = $2
       and branch_key = hashtextextended($3::text, 0) and failed_at < $4 and run_id <> $5 limit 1`,
    [integrationId, groupId, branch, failedAt, runId],
  );
}

/** How often the job of a failure was re-run, and how often it then succeeded, as of `failedAt` or in the run itself. */
export async function countReruns(
  tx: Tx,
  integrationId: string,
  { groupId, failedAt, runId }: { groupId: string; failedAt: string; runId: number },
): Promise<{ reruns: number; passed: number }> {
  const row = await tx.row<{ reruns: number; passed: number }>(reruns('$2', '$3::timestamptz', '$4'), [
    integrationId,
    groupId,
    failedAt,
    runId,
  ]);
  return row ?? { reruns: 0, passed: 0 };
}

export interface OtherBranches {
  branches: number;
  since: Date | null;
}

/** @param branch of the failure; null when it has none */
export async function countOtherBranches(
  tx: Tx,
  integrationId: string,
  { groupId, failedAt, branch }: { groupId: string; failedAt: string; branch: string | null },
): Promise<OtherBranches> {
  const row = await tx.row<OtherBranches>(
    otherBranches('$2', '$3::timestamptz', 'hashtextextended($4::text, 0)'),
    [integrationId, groupId, failedAt, branch],
  );
  return row ?? { branches: 0, since: null };
}

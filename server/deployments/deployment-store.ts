import { decidedConclusions } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import type { CommitRange } from '#server/failures/commits/request-commits.ts';
import { decidedAttempts } from '#server/runs/latest/stored-result.ts';
import type { DeployedPullRow } from './failure-rules.ts';
import type { SourceRow } from './source-store.ts';
import type { Ended } from './count-deployments.ts';

/** More of each source are left out, the oldest first. */
export const maxEnded = 5000;

/** What ended, with the state or conclusion that says how. */
export type EndedRow = Omit<Ended, 'isDeployed'> & { ending: string };

export interface EndedQuery {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
  repository: string | undefined;
}

const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)::float8`;
const times = ({ from, to }: EndedQuery): string[] => [
  new Date(from).toISOString(),
  new Date(to).toISOString(),
];

/** The newest deployments to these environments. */
export function listOfEnvironments(
  tx: Tx,
  integrationId: string,
  environments: readonly string[],
  query: EndedQuery,
): Promise<EndedRow[]> {
  return tx.rows<EndedRow>({
    name: 'list-deployments',
    text: `select 'deployment-' || deployment_id as key, repository, environment, null as workflow, null as job, sha, ref,
             ${ms('updated_at')} as at, creator, run_id::float8 as "runId", attempt, url, state as ending
           from deployments
           where integration_id = $1 and updated_at >= $2 and updated_at < $3 and environment = any ($4::text[])
             and repository = coalesce($5::text, repository) and sha is not null and state in ('error', 'failure', 'success')
           order by updated_at desc limit ${maxEnded}`,
    values: [integrationId, ...times(query), environments, query.repository],
  });
}

/** The newest attempts of runs of these workflows on the default branch, or of their jobs, that passed or failed. */
export function listOfWorkflows(
  tx: Tx,
  integrationId: string,
  sources: readonly SourceRow[],
  query: EndedQuery,
): Promise<EndedRow[]> {
  return tx.rows<EndedRow>({
    name: 'list-deploying-runs',
    text: `select e.key, w.repository, null as environment, s.workflow, s.job, w.head_sha as sha, w.head_branch as ref,
             ${ms('e.completed_at')} as at, coalesce(w.actor, w.triggering_actor) as creator, w.run_id::float8 as "runId",
             e.attempt, w.url, e.conclusion as ending
           from unnest($4::text[], $5::text[], $6::text[]) as s (repository, workflow, job)
           cross join lateral (
             select * from workflow_runs w
             where w.integration_id = $1 and w.on_default_branch
               and w.workflow_key = hashtextextended(s.workflow, hashtextextended(s.repository, 0))
               and w.created_at >= $2 and w.created_at < $3
             order by w.created_at desc, w.run_id desc limit ${maxEnded}) w
           cross join lateral (
             select 'run-' || w.run_id || '-' || d.attempt as key, d.attempt, d.conclusion, d.completed_at
             from (${decidedAttempts('w')}) d where s.job is null
             union all
             select 'job-' || w.run_id || '-' || j.job_id, j.attempt, j.conclusion, j.completed_at from workflow_jobs j
             where j.integration_id = $1 and j.run_id = w.run_id and j.name = s.job and j.conclusion = any ($8::text[])) e
           where w.head_sha is not null and w.repository = coalesce($7::text, w.repository)
             and e.completed_at is not null and e.completed_at < $3`,
    values: [
      integrationId,
      ...times(query),
      ...columnsOf(sources, 'repository', 'workflow', 'job'),
      query.repository,
      decidedConclusions,
    ],
  });
}

/** The ranges after a deployed commit without a commit: that commit contains the other one. */
export function listContained(
  tx: Tx,
  integrationId: string,
  deployed: readonly Pick<Ended, 'repository' | 'sha'>[],
): Promise<CommitRange[]> {
  return tx.rows({
    name: 'list-contained-commits',
    text: `select r.repository, r.base_sha as "baseSha", r.head_sha as "headSha"
           from (select distinct repository, sha from unnest($2::text[], $3::text[]) as d (repository, sha)) d
           join commit_ranges r on r.integration_id = $1 and r.repository = d.repository and r.base_sha = d.sha
           where r.state = 'read' and r.total = 0`,
    values: [integrationId, ...columnsOf(deployed, 'repository', 'sha')],
  });
}

/** The merged pull requests of these commits. */
export function listPullsOf(
  tx: Tx,
  integrationId: string,
  shas: readonly string[],
): Promise<(DeployedPullRow & { mergeSha: string })[]> {
  return tx.rows({
    name: 'list-deployed-pull-requests',
    text: `select repository, number::float8 as number, title, url, ${ms('merged_at')} as "mergedAt", head_branch as "headBranch",
             labels, merge_sha as "mergeSha"
           from pull_requests where integration_id = $1 and merge_sha = any ($2::text[]) and merged_at is not null
           order by number`,
    values: [integrationId, shas],
  });
}

/** Where the repositories are at their forge. */
export function listForgePages(
  tx: Tx,
  integrationId: string,
  repositories: readonly string[],
): Promise<{ repository: string; host: string; fullName: string }[]> {
  return tx.rows({
    name: 'list-forge-pages',
    text: `select repository, host, full_name as "fullName" from repositories
           where integration_id = $1 and repository = any ($2::text[]) and host is not null`,
    values: [integrationId, repositories],
  });
}

export interface MarkRow {
  key: string;
  hasFailed: boolean;
  markedAt: Date;
  markedBy: string | null;
  name: string | null;
}

export function listMarks(tx: Tx, integrationId: string, keys: readonly string[]): Promise<MarkRow[]> {
  return tx.rows<MarkRow>({
    name: 'list-deployment-marks',
    text: `select deployment_key as key, has_failed as "hasFailed", marked_at as "markedAt", marked_by as "markedBy",
             coalesce(u.name, u.forge_login) as name
           from deployment_marks m left join users u on u.user_id = m.marked_by
           where integration_id = $1 and deployment_key = any ($2::text[])`,
    values: [integrationId, keys],
  });
}

export async function saveMark(
  tx: Tx,
  integrationId: string,
  { key, hasFailed, by }: { key: string; hasFailed: boolean; by: string },
): Promise<void> {
  await tx.query(
    `insert into deployment_marks (integration_id, deployment_key, has_failed, marked_by) values ($1, $2, $3, $4)
     on conflict (integration_id, deployment_key) do update
       set has_failed = excluded.has_failed, marked_by = excluded.marked_by, marked_at = now()`,
    [integrationId, key, hasFailed, by],
  );
}

export async function deleteMark(tx: Tx, integrationId: string, key: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from deployment_marks where integration_id = $1 and deployment_key = $2',
    [integrationId, key],
  );
  return rowCount === 1;
}

/** What a key is about: a deployment, an attempt of a run, or a job. */
export function findMarked(
  tx: Tx,
  integrationId: string,
  key: string,
): Promise<{ repository: string; sha: string | null } | undefined> {
  const [kind = '', id = '', part = '0'] = key.split('-');
  return tx.row(
    `select repository, sha from deployments where $2 = 'deployment' and integration_id = $1 and deployment_id = $3::bigint
     union all
     select repository, head_sha from workflow_runs
     where $2 = 'run' and integration_id = $1 and run_id = $3::bigint and attempt >= $4::bigint
     union all
     select repository, head_sha from workflow_jobs
     where $2 = 'job' and integration_id = $1 and run_id = $3::bigint and job_id = $4::bigint`,
    [integrationId, kind, id, part],
  );
}

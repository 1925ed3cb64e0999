import type { Tx } from '#platform/database/database.ts';
import type { Outcome } from './matching-rules.ts';

export interface Candidate {
  integrationId: string;
  runId: number;
  attempt: number;
  jobId: number | null;
  isGreen: boolean;
}

/**
 * Part of the transaction that stores what ended; numbered in the order of their commits within an integration. Of
 * integrations that have rules now; a copy of that in memory might not know of a rule that was made a moment ago. For jobs
 * that succeeded their run speaks, if it is there.
 */
export async function insertCandidates(tx: Tx, candidates: readonly Candidate[]): Promise<void> {
  await tx.query({
    name: 'insert-alert-candidates',
    text: `insert into alert_candidates (group_id, run_id, attempt, job_id)
           select group_id, run_id, attempt, job_id
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[], $5::boolean[])
             as c (group_id, run_id, attempt, job_id, is_green)
           where exists (select from alert_interest i where i.group_id = c.group_id)
             and not (is_green and job_id is not null and exists (
               select from workflow_runs r where r.integration_id = c.group_id and r.run_id = c.run_id))`,
    values: [
      candidates.map((candidate) => candidate.integrationId),
      candidates.map((candidate) => candidate.runId),
      candidates.map((candidate) => candidate.attempt),
      candidates.map((candidate) => candidate.jobId),
      candidates.map((candidate) => candidate.isGreen),
    ],
  });
}

export async function listCandidateGroups(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ group_id: string }>('select distinct group_id from alert_candidates');
  return rows.map((row) => row.group_id);
}

/** Waits until no other process evaluates this integration, and keeps others waiting until the end of the transaction. */
export async function lockEvaluation(tx: Tx, integrationId: string): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('alerts ' || $1::text, 0))", [integrationId]);
}

/**
 * Takes the oldest away, and answers how those ended that are still there; null for one that is not, and for the success
 * of a job that its run speaks for. A job whose run is not stored is left for `awaitRunMs`: its branch may be a fork's, and
 * of which repository it is only the run tells.
 */
export async function takeOutcomes(
  tx: Tx,
  integrationId: string,
  awaitRunMs: number,
  limit: number,
): Promise<(Outcome | null)[]> {
  const { rows } = await tx.query<OutcomeRow & { knows_run: boolean }>({
    name: 'take-alert-candidates',
    text: `with taken as (
             delete from alert_candidates where candidate_id in
               (select o.candidate_id from alert_candidates o
                where o.group_id = $1 and (o.job_id is null or o.noted_at < now() - $3 * interval '1 ms' or exists (
                  select from workflow_runs r where r.integration_id = $1 and r.run_id = o.run_id))
                order by o.candidate_id limit $2)
             returning candidate_id, run_id, attempt, job_id)
           select c.run_id, c.attempt, c.job_id,
                  coalesce(j.repository, r.repository) as repository,
                  coalesce(r.workflow_name, j.workflow_name) as workflow_name,
                  coalesce(j.head_branch, r.head_branch) as head_branch, r.head_repository, r.actor,
                  case when c.job_id is null then r.title else j.name end as name,
                  coalesce(j.url, r.url) as url,
                  case when c.job_id is not null then j.conclusion when r.attempt = c.attempt then r.conclusion
                       else a.conclusion end as conclusion,
                  coalesce(case when c.job_id is not null then j.completed_at
                       when r.attempt = c.attempt then coalesce(r.completed_at, r.updated_at)
                       else a.completed_at end, now()) as at,
                  r.run_id is not null as knows_run
           from taken c
           left join workflow_runs r on r.integration_id = $1 and r.run_id = c.run_id
           left join workflow_run_attempts a on a.integration_id = $1 and a.run_id = c.run_id
             and a.attempt = c.attempt and c.job_id is null
           left join workflow_jobs j on j.integration_id = $1 and j.run_id = c.run_id and j.attempt = c.attempt
             and j.job_id = c.job_id
           order by c.candidate_id`,
    values: [integrationId, limit, awaitRunMs],
  });
  return rows.map((row) =>
    row.conclusion === null ||
    row.repository === null ||
    (row.job_id !== null && row.conclusion === 'success' && row.knows_run)
      ? null
      : outcomeOf(row, row.repository, row.conclusion),
  );
}

interface OutcomeRow {
  run_id: string;
  attempt: number;
  job_id: string | null;
  repository: string | null;
  workflow_name: string | null;
  head_branch: string | null;
  head_repository: string | null;
  actor: string | null;
  name: string | null;
  url: string | null;
  conclusion: string | null;
  at: Date;
}

function outcomeOf(row: OutcomeRow, repository: string, conclusion: string): Outcome {
  return {
    event: row.job_id === null ? 'run' : 'job',
    runId: Number(row.run_id),
    attempt: row.attempt,
    jobId: row.job_id === null ? null : Number(row.job_id),
    repository,
    workflow: row.workflow_name,
    branch: branchOf(row, repository),
    conclusion,
    actor: row.actor,
    name: row.name,
    url: row.url,
    at: row.at.getTime(),
  };
}

/** `owner:branch` for a fork's. */
export function branchOf(
  { head_branch, head_repository }: Pick<OutcomeRow, 'head_branch' | 'head_repository'>,
  repository: string,
): string | null {
  if (head_branch === null || head_repository === null || head_repository === repository) return head_branch;
  return `${head_repository.split('/')[0] ?? ''}:${head_branch}`;
}

/** Rows looked at for a back-test, of each table: ids grow with time, so the newest are read, however much there is. */
const mostHistoryRows = 50_000;

export interface History {
  outcomes: Outcome[];
  /** Where the rows looked at begin, when there are more. */
  from: Date | null;
}

/**
 * Runs and jobs that ended since `since`, in the order of their ends; jobs before the run they belong to, which speaks for
 * those that succeeded.
 */
export async function listHistory(
  tx: Tx,
  integrationId: string,
  since: Date,
  conclusions: readonly string[],
): Promise<History> {
  const { rows } = await tx.query<OutcomeRow & { oldest: Date | null }>(
    `with runs as materialized (
       select * from workflow_runs where integration_id = $1 order by run_id desc limit ${mostHistoryRows}),
     jobs as materialized (
       select * from workflow_jobs where integration_id = $1 order by run_id desc limit ${mostHistoryRows}),
     ended as (
       select run_id, attempt, null::bigint as job_id, repository, workflow_name, head_branch, head_repository, actor,
              title as name, url, conclusion, coalesce(completed_at, updated_at) as at
       from runs where status = 'completed'
       union all
       select a.run_id, a.attempt, null, r.repository, r.workflow_name, r.head_branch, r.head_repository, r.actor,
              r.title, r.url, a.conclusion, a.completed_at
       from runs r join workflow_run_attempts a on a.integration_id = $1 and a.run_id = r.run_id
       where r.attempt > 1 and a.status = 'completed' and a.attempt <> r.attempt
       union all
       select j.run_id, j.attempt, j.job_id, j.repository, coalesce(r.workflow_name, j.workflow_name),
              coalesce(j.head_branch, r.head_branch), r.head_repository, r.actor, j.name, coalesce(j.url, r.url),
              j.conclusion, j.completed_at
       from jobs j left join runs r on r.run_id = j.run_id
       where j.status = 'completed' and (j.conclusion <> 'success' or r.run_id is null))
     select ended.*, greatest(
         (select min(created_at) from runs having count(*) = ${mostHistoryRows}),
         (select min(created_at) from jobs having count(*) = ${mostHistoryRows})) as oldest
     from ended where at >= $2 and (conclusion = any ($3) or conclusion = 'success')
     order by at, job_id nulls last`,
    [integrationId, since, conclusions],
  );
  const from = rows[0]?.oldest ?? null;
  return {
    // Before that there are runs without their jobs, or the other way round.
    outcomes: rows
      .filter(({ at }) => from === null || at >= from)
      .map((row) => outcomeOf(row, row.repository ?? '', row.conclusion ?? '')),
    from,
  };
}

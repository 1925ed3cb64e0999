import type { Tx } from '#platform/database/database.ts';
import { makeBreaks } from '#platform/runtime/breaks.ts';
import type { Completion } from './matching-rules.ts';
import { completionOf, type CompletionRow } from '#server/alerts/evaluation/completion-store.ts';

/** The newest rows of each table that a back-test reads: ids grow with time. */
const maxHistoryRows = 50_000;

export interface History {
  completions: Completion[];
  /** The start of the rows that were read; null if all were read. */
  from: Date | null;
}

/**
 * Lists completions since `since` in the order of their end. Jobs come before their run. A successful job of a known run is
 * left out, because its run decides.
 */
export async function listHistory(
  tx: Tx,
  integrationId: string,
  since: Date,
  conclusions: readonly string[],
): Promise<History> {
  const { rows } = await tx.query<HistoryRow>(
    `with runs as materialized (
       select run_id, attempt, repository, workflow_name, workflow_path, head_branch, head_repository, actor, title, url,
              status, conclusion, completed_at, updated_at, created_at
       from workflow_runs where integration_id = $1 order by run_id desc limit ${maxHistoryRows}),
     jobs as materialized (
       select run_id, attempt, job_id, repository, workflow_name, head_branch, name, url, status, conclusion, completed_at,
              created_at
       from workflow_jobs where integration_id = $1 order by run_id desc limit ${maxHistoryRows}),
     ended as (
       select run_id, attempt, null::bigint as job_id, repository, workflow_name, head_branch, head_repository, actor,
              title as name, url, conclusion, coalesce(completed_at, updated_at) as at, workflow_path as file
       from runs where status = 'completed'
       union all
       select a.run_id, a.attempt, null, r.repository, r.workflow_name, r.head_branch, r.head_repository, r.actor,
              r.title, r.url, a.conclusion, a.completed_at, r.workflow_path
       from runs r join workflow_run_attempts a on a.integration_id = $1 and a.run_id = r.run_id
       where r.attempt > 1 and a.status = 'completed' and a.attempt <> r.attempt
       union all
       select j.run_id, j.attempt, j.job_id, j.repository, coalesce(r.workflow_name, j.workflow_name),
              coalesce(j.head_branch, r.head_branch), r.head_repository, r.actor, j.name, coalesce(j.url, r.url),
              j.conclusion, j.completed_at, null
       from jobs j left join runs r on r.run_id = j.run_id
       where j.status = 'completed' and (j.conclusion <> 'success' or r.run_id is null))
     select ended.*, greatest(
         (select min(created_at) from runs having count(*) = ${maxHistoryRows}),
         (select min(created_at) from jobs having count(*) = ${maxHistoryRows})) as oldest
     from ended where at >= $2 and (conclusion = any ($3) or conclusion = 'success')
     order by at, job_id nulls last`,
    [integrationId, since, conclusions],
  );
  const from = rows[0]?.oldest ?? null;
  // Before `from`, runs may lack their jobs and jobs may lack their run.
  const whole = rows.filter(({ at }) => from === null || at >= from);
  const nameOf = workflowNames(whole);
  const completions: Completion[] = [];
  const takeBreaks = makeBreaks();
  for (const row of whole) {
    await takeBreaks();
    const named = { ...row, workflow_name: nameOf(row) };
    completions.push(completionOf(named, row.repository ?? '', row.conclusion ?? ''));
  }
  return { completions, from };
}

interface HistoryRow extends CompletionRow {
  /** The workflow file of a run. */
  file: string | null;
  oldest: Date | null;
}

/**
 * If a run has no jobs and its name equals the workflow file, use the name of a successful run of that file, as live
 * evaluation does.
 */
function workflowNames(rows: readonly HistoryRow[]): (row: HistoryRow) => string | null {
  const key = ({ repository, file }: HistoryRow): string => JSON.stringify([repository, file]);
  const isNamed = ({ file, conclusion }: HistoryRow): boolean => file !== null && conclusion === 'success';
  const names = new Map(rows.filter(isNamed).map((row) => [key(row), row.workflow_name]));
  const withJobs = new Set(rows.filter(({ job_id }) => job_id !== null).map(({ run_id }) => run_id));
  return (row) =>
    row.file !== null && row.workflow_name === row.file && !withJobs.has(row.run_id)
      ? (names.get(key(row)) ?? row.workflow_name)
      : row.workflow_name;
}

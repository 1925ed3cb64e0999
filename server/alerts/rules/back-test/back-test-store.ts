import type { Tx } from '#platform/database/database.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import type { Completion } from '../matching-rules.ts';
import {
  conclusionForRules,
  factColumns,
  isHidden,
  notInFuture,
  type CompletionFacts,
} from '#server/alerts/evaluation/completion-facts.ts';
import { nameCompletion } from '#server/alerts/evaluation/name-completion.ts';

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
              on_default_branch, status, conclusion, superseded_by, completed_at, updated_at, created_at
       from workflow_runs where integration_id = $1 order by run_id desc limit ${maxHistoryRows}),
     jobs as materialized (
       select run_id, attempt, job_id, repository, workflow_name, head_branch, name, url, on_default_branch, status,
              conclusion, completed_at, created_at
       from workflow_jobs where integration_id = $1 order by run_id desc limit ${maxHistoryRows}),
     ended as (
       select r.run_id::float8 as "runId", r.attempt, null::float8 as "jobId", ${factColumns}, ${conclusionForRules('r')} as conclusion,
              coalesce(r.completed_at, r.updated_at) as "endedAt"
       from runs r left join jobs j on false where r.status = 'completed'
       union all
       select a.run_id::float8, a.attempt, null, ${factColumns}, ${conclusionForRules('a')}, a.completed_at
       from runs r join workflow_run_attempts a on a.integration_id = $1 and a.run_id = r.run_id
         left join jobs j on false
       where r.attempt > 1 and a.status = 'completed' and a.attempt <> r.attempt
       union all
       select j.run_id::float8, j.attempt, j.job_id::float8, ${factColumns}, j.conclusion, j.completed_at
       from jobs j left join runs r on r.run_id = j.run_id
       where j.status = 'completed' and (j.conclusion <> 'success' or r.run_id is null))
     select ended.*, ${notInFuture('"endedAt"')} as at, greatest(
         (select min(created_at) from runs having count(*) = ${maxHistoryRows}),
         (select min(created_at) from jobs having count(*) = ${maxHistoryRows})) as oldest
     from ended where "endedAt" >= $2 and (conclusion = any ($3) or conclusion = 'success')
       and not ${isHidden('coalesce("jobRepository", "runRepository")', 'coalesce("runWorkflow", "jobWorkflow")')}
     order by "endedAt", "jobId" nulls last`,
    [integrationId, since, conclusions],
  );
  const from = rows[0]?.oldest ?? null;
  // Before `from`, runs may lack their jobs and jobs may lack their run.
  const whole = rows.filter(({ at }) => from === null || at >= from);
  const takeBreaks = makeBreaks();
  const { withJobs, provenNames } = await indexHistory(whole, takeBreaks);
  const completions: Completion[] = [];
  for (const row of whole) {
    await takeBreaks();
    const provenWorkflow = provenNames.get(fileOf(row)) ?? null;
    const completion = nameCompletion({ ...row, hasJobs: withJobs.has(row.runId), provenWorkflow });
    if (completion !== undefined) completions.push(completion);
  }
  return { completions, from };
}

type HistoryRow = Omit<CompletionFacts, 'hasJobs' | 'provenWorkflow'> & { oldest: Date | null };

const fileOf = ({ runRepository, runFile }: HistoryRow): string => JSON.stringify([runRepository, runFile]);

/** Which runs have jobs, and the names of workflows in successful runs. */
async function indexHistory(
  rows: readonly HistoryRow[],
  takeBreaks: () => Promise<void>,
): Promise<{ withJobs: ReadonlySet<number>; provenNames: ReadonlyMap<string, string | null> }> {
  const withJobs = new Set<number>();
  const provenNames = new Map<string, string | null>();
  for (const row of rows) {
    await takeBreaks();
    if (row.jobId !== null) withJobs.add(row.runId);
    else if (row.runFile !== null && row.conclusion === 'success')
      provenNames.set(fileOf(row), row.runWorkflow);
  }
  return { withJobs, provenNames };
}

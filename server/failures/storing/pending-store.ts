import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { fullNameOf } from '#server/runs/names/stored-full-name.ts';
import { requestOfStored } from '#server/tasks/request-tasks.ts';

/** A failed job whose reason is not stored. */
export interface PendingFailure {
  runId: number;
  attempt: number;
  jobId: number;
}

export const reasonTask = 'failure-reasons';

/** How long, and in what number, failures wait. */
export interface FailureWaits {
  /** For the run of the job. Forges report a run when it starts, so almost no job waits. Without events about runs every job does. */
  runMs: number;
  /** For the log. A reason that comes later helps nobody. The forge may still return the log of other jobs. */
  logMs: number;
  /** Failures of an integration that wait for their logs. A forge that does not answer must not pile up more. */
  logs: number;
}

export const failureWaits: FailureWaits = { runMs: 3_000, logMs: 6 * hourMs, logs: 10_000 };

/**
 * True for a pending failure whose run is stored, or was waited for. Only the run names the file of the workflow, which is part of the
 * fingerprint. `offset 0` makes the planner look up the run of each row, never all stored runs.
 */
export function knowsRun(pending: string, runMs: string): string {
  return `(${pending}.noted_at < now() - make_interval(secs => ${runMs} / 1000.0) or exists (
    select from workflow_runs k where k.integration_id = $1 and k.run_id = ${pending}.run_id offset 0))`;
}

export interface NotedJob extends PendingFailure {
  integrationId: string;
  repository: string;
  isCancelled: boolean;
}

/**
 * A failure waits for its log when a connection to the forge sees its repository. Without one nothing can be found out about a cancelled
 * job.
 */
export async function insertPending(tx: Tx, jobs: readonly NotedJob[]): Promise<void> {
  await tx.query({
    name: 'insert-pending-failures',
    text: `with stored as (
           insert into pending_failures as p (group_id, run_id, attempt, job_id, waits_for_log, is_cancelled)
           select f.group_id, f.run_id, f.attempt, f.job_id, l.is_linked, f.is_cancelled
           from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[], $5::text[], $6::boolean[])
             as f (group_id, run_id, attempt, job_id, repository, is_cancelled)
           cross join lateral (select exists (
             select from linked_repositories r
             where r.integration_id = f.group_id and r.repository = ${fullNameOf('f.group_id', 'f.repository')} and r.is_chosen) as is_linked) l
           where l.is_linked or not f.is_cancelled
           on conflict (group_id, run_id, attempt, job_id) do update
             set is_cancelled = false, noted_at = now(), due_at = now(), tries = 0
             where p.is_cancelled and not excluded.is_cancelled
           returning group_id) ${requestOfStored(reasonTask)}`,
    values: columnsOf(jobs, 'integrationId', 'runId', 'attempt', 'jobId', 'repository', 'isCancelled'),
  });
}

interface PendingWork {
  /** Some failures wait for no log, have waited for too long, or are too many. Null when none is pending. */
  hasReady: boolean | null;
  /** The logs of some failures are due. */
  hasDue: boolean | null;
  /** Until the next log is due. Below zero when something waits for its run or a log is being read. */
  dueInMs: number | null;
}

export async function readPendingWork(
  tx: Tx,
  integrationId: string,
  waits: FailureWaits,
): Promise<PendingWork> {
  const row = await tx.row<PendingWork>({
    name: 'read-pending-work',
    text: `select bool_or(not waits_for_log or noted_at < now() - make_interval(secs => $2 / 1000.0))
               or count(*) filter (where waits_for_log) > $3 as "hasReady",
             bool_or(waits_for_log and due_at <= now()) as "hasDue",
             (extract(epoch from min(due_at) - now()) * 1000)::float8 as "dueInMs"
           from pending_failures where group_id = $1`,
    values: [integrationId, waits.logMs, waits.logs],
  });
  return row!;
}

export interface TakenFailure extends PendingFailure {
  /** The log was never read. */
  waitsForLog: boolean;
  isCancelled: boolean;
}

/**
 * Removes and returns the oldest failures that wait for no log, or have waited for too long, or are too many. Needs the lock on the
 * stream of the integration, so that no other process takes them as well.
 */
export function takePending(
  tx: Tx,
  integrationId: string,
  most: number,
  waits: FailureWaits,
): Promise<TakenFailure[]> {
  return tx.rows<TakenFailure>({
    name: 'take-pending-failures',
    text: `with ready as (
             (select o.ctid as place from pending_failures o where o.group_id = $1 and not o.waits_for_log
                and ${knowsRun('o', '$4')}
              order by o.noted_at limit $2)
             union all
             (select o.ctid from pending_failures o where o.group_id = $1 and o.waits_for_log
                and o.noted_at < now() - make_interval(secs => $3 / 1000.0)
              order by o.noted_at limit $2)
             union all
             (select o.ctid from pending_failures o where o.group_id = $1 and o.waits_for_log
              order by o.noted_at offset $5 limit $2)
             limit $2)
           delete from pending_failures p where p.group_id = $1 and p.ctid = any (array(select place from ready))
           returning p.run_id::float8 as "runId", p.attempt, p.job_id::float8 as "jobId", p.waits_for_log as "waitsForLog",
             p.is_cancelled as "isCancelled"`,
    values: [integrationId, most, waits.logMs, waits.runMs, waits.logs],
  });
}

/** Those of the jobs whose reason is not stored yet. */
export async function listPendingJobs(
  tx: Tx,
  integrationId: string,
  jobs: readonly PendingFailure[],
): Promise<Set<number>> {
  const jobIds = await tx.column<number>({
    text: `select p.job_id::float8 from unnest($2::bigint[], $3::integer[], $4::bigint[]) k (run_id, attempt, job_id)
           join pending_failures p on p.group_id = $1 and p.run_id = k.run_id and p.attempt = k.attempt and p.job_id = k.job_id`,
    values: [integrationId, ...columnsOf(jobs, 'runId', 'attempt', 'jobId')],
  });
  return new Set(jobIds);
}

import type { Tx } from '#platform/database/database.ts';
import { requestOfStored } from '#server/tasks/request-tasks.ts';
import { exportPolicy } from '../policy.ts';
import { traceTask } from '../settings-store.ts';

/** All times come from the clock of the caller. */

interface Completion {
  integrationId: string;
  runId: number;
  attempt: number;
}

const { settleMs } = exportPolicy;
const withExport = 'join trace_exports e on e.integration_id = c.group_id and e.enabled';

/** Of these runs those of integrations with an export. */
export async function insertFinishedRuns(
  tx: Tx,
  runs: readonly Completion[],
  notedAt: Date,
  dueAt: Date,
): Promise<void> {
  await tx.query({
    name: 'insert-trace-export-runs',
    text: `with stored as (
           insert into trace_export_runs (group_id, run_id, attempt, noted_at, due_at)
           select group_id, run_id, attempt, $4, $5
           from unnest($1::uuid[], $2::bigint[], $3::integer[]) with ordinality as c (group_id, run_id, attempt, place)
             ${withExport}
           order by place
           on conflict do nothing returning group_id) ${requestOfStored(traceTask, settleMs)}`,
    values: [...keysOf(runs), notedAt, dueAt],
  });
}

/** Makes the runs of these jobs due again that are over: each is sent with all its jobs, into the same trace. */
export async function insertRunsOfLateJobs(
  tx: Tx,
  jobs: readonly Completion[],
  notedAt: Date,
  dueAt: Date,
): Promise<void> {
  await tx.query({
    name: 'insert-trace-export-runs-of-late-jobs',
    text: `with stored as (
           insert into trace_export_runs as w (group_id, run_id, attempt, noted_at, due_at)
           select distinct group_id, run_id, attempt, $4::timestamptz, $5::timestamptz
           from unnest($1::uuid[], $2::bigint[], $3::integer[]) as c (group_id, run_id, attempt)
             ${withExport}
           where exists (
             select from workflow_runs r where r.integration_id = c.group_id and r.run_id = c.run_id
               and (r.attempt > c.attempt or r.attempt = c.attempt and r.status = 'completed'))
           order by group_id, run_id, attempt
           on conflict (group_id, run_id, attempt) do update
             set revision = w.revision + 1, after_job = 0, due_at = greatest(w.due_at, excluded.due_at)
           returning group_id) ${requestOfStored(traceTask, settleMs)}`,
    values: [...keysOf(jobs), notedAt, dueAt],
  });
}

function keysOf(rows: readonly Completion[]): [string[], number[], number[]] {
  return [
    rows.map(({ integrationId }) => integrationId),
    rows.map(({ runId }) => runId),
    rows.map(({ attempt }) => attempt),
  ];
}

/** When the next run is due; undefined when none waits. */
export function findNextDue(tx: Tx, integrationId: string): Promise<Date | undefined> {
  return tx.value<Date>({
    name: 'find-next-trace-export-run',
    text: 'select due_at from trace_export_runs where group_id = $1 order by due_at limit 1',
    values: [integrationId],
  });
}

export interface WaitingRun {
  entryId: string;
  runId: number;
  attempt: number;
  afterJob: number;
  revision: number;
}

/**
 * The next runs that are due. Postpones those with jobs that are not completed, unless they were noted before `impatientSince`.
 */
export async function takeWaiting(
  tx: Tx,
  integrationId: string,
  times: { now: Date; impatientSince: Date; checkAgainAt: Date },
  most: number,
): Promise<WaitingRun[]> {
  const { rows } = await tx.query<Record<keyof WaitingRun, string> & { mustWait: boolean }>({
    name: 'take-waiting-trace-export-runs',
    text: `select entry_id as "entryId", run_id as "runId", attempt, after_job as "afterJob", revision,
             noted_at > $3 and exists (
               select from workflow_jobs j where j.integration_id = $1 and j.run_id = w.run_id and j.attempt = w.attempt
                 and j.completed_at is null) as "mustWait"
           from trace_export_runs w where group_id = $1 and due_at <= $2 order by due_at, entry_id limit $4`,
    values: [integrationId, times.now, times.impatientSince, most],
  });
  const postponed = rows.filter(({ mustWait }) => mustWait).map(({ entryId }) => entryId);
  if (postponed.length > 0)
    await tx.query('update trace_export_runs set due_at = $2 where entry_id = any ($1::bigint[])', [
      postponed,
      times.checkAgainAt,
    ]);
  return rows
    .filter(({ mustWait }) => !mustWait)
    .map(({ entryId, runId, attempt, afterJob, revision }) => ({
      entryId,
      runId: Number(runId),
      attempt: Number(attempt),
      afterJob: Number(afterJob),
      revision: Number(revision),
    }));
}

export async function deleteWaiting(tx: Tx, entryIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'delete-trace-export-runs',
    text: 'delete from trace_export_runs where entry_id = any ($1::bigint[])',
    values: [entryIds],
  });
}

/** Runs that were sent. Those with a job that completed meanwhile go on waiting. */
export async function deleteSent(tx: Tx, sent: readonly WaitingRun[]): Promise<void> {
  await tx.query({
    name: 'delete-sent-trace-export-runs',
    text: `delete from trace_export_runs w using unnest($1::bigint[], $2::integer[]) as s (entry_id, revision)
           where w.entry_id = s.entry_id and w.revision = s.revision`,
    values: [sent.map(({ entryId }) => entryId), sent.map(({ revision }) => revision)],
  });
}

/** The jobs up to this one were sent. A run with a job that completed meanwhile begins again. */
export async function advanceWaiting(
  tx: Tx,
  { entryId, revision }: WaitingRun,
  afterJob: number,
): Promise<void> {
  await tx.query('update trace_export_runs set after_job = $2 where entry_id = $1 and revision = $3', [
    entryId,
    afterJob,
    revision,
  ]);
}

/** Deletes runs that have waited too long, and the oldest beyond the limit. Returns how many. */
export function dropWaiting(tx: Tx, integrationId: string, notedBefore: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from trace_export_runs where group_id = $1 and (noted_at < $2 or entry_id <= (
       select entry_id from trace_export_runs where group_id = $1 order by entry_id desc offset $3 limit 1))`,
    [integrationId, notedBefore, most],
  );
}

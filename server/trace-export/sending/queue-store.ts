import type { Tx } from '#platform/database/database.ts';

/** All times come from the clock of the caller. */

interface Completion {
  integrationId: string;
  runId: number;
  attempt: number;
}

export const hasExportStatement = {
  name: 'has-trace-export',
  text: 'select exists (select from trace_export_schedules) as "hasExport"',
};

/** Of these runs those of integrations with an export. */
export async function insertFinishedRuns(
  tx: Tx,
  runs: readonly Completion[],
  notedAt: Date,
  dueAt: Date,
): Promise<void> {
  await tx.query({
    name: 'insert-trace-export-runs',
    text: `insert into trace_export_runs (group_id, run_id, attempt, noted_at, due_at)
           select group_id, run_id, attempt, $4, $5
           from unnest($1::uuid[], $2::bigint[], $3::integer[]) as c (group_id, run_id, attempt)
             join trace_export_schedules using (group_id)
           on conflict do nothing`,
    values: [...keysOf(runs), notedAt, dueAt],
  });
}

/**
 * Of these jobs those whose run is over and was sent without them: it does not wait any more, or waits with later jobs only. The lock
 * makes the end of a request wait for this transaction, so that it finds the jobs that were stored meanwhile.
 */
export async function insertLateJobs(
  tx: Tx,
  jobs: readonly (Completion & { jobId: number })[],
  notedAt: Date,
  dueAt: Date,
): Promise<void> {
  await tx.query({
    name: 'insert-late-trace-export-jobs',
    text: `with late as materialized (
             select c.* from unnest($1::uuid[], $2::bigint[], $3::integer[], $4::bigint[]) as c (group_id, run_id, attempt, job_id)
               join trace_export_schedules using (group_id)
             where exists (
               select from workflow_runs r where r.integration_id = c.group_id and r.run_id = c.run_id
                 and (r.attempt > c.attempt or r.attempt = c.attempt and r.status = 'completed'))
           ), waiting as materialized (
             select w.* from (select distinct group_id, run_id, attempt from late order by group_id, run_id, attempt) c
               cross join lateral (
                 select w.group_id, w.run_id, w.attempt, w.after_job from trace_export_runs w
                 where w.group_id = c.group_id and w.run_id = c.run_id and w.attempt = c.attempt and w.job_id = 0
                 for key share) w
           )
           insert into trace_export_runs (group_id, run_id, attempt, job_id, noted_at, due_at)
           select group_id, run_id, attempt, job_id, $5, $6 from late l
           where not exists (
             select from waiting w where w.group_id = l.group_id and w.run_id = l.run_id and w.attempt = l.attempt
               and w.after_job < l.job_id)
           order by group_id, run_id, attempt, job_id
           on conflict do nothing`,
    values: [...keysOf(jobs), jobs.map(({ jobId }) => jobId), notedAt, dueAt],
  });
}

function keysOf(rows: readonly Completion[]): [string[], number[], number[]] {
  return [
    rows.map(({ integrationId }) => integrationId),
    rows.map(({ runId }) => runId),
    rows.map(({ attempt }) => attempt),
  ];
}

export interface Schedule {
  integrationId: string;
  failures: number;
  atMost: number;
}

/**
 * Leases integrations with runs to export, except those that this process is exporting. The order is random: in a fixed order a few slow targets
 * would use all free places.
 */
export function claimSchedules(
  tx: Tx,
  most: number,
  busy: readonly string[],
  now: Date,
  leasedUntil: Date,
): Promise<Schedule[]> {
  return tx.rows<Schedule>({
    name: 'claim-trace-exports',
    text: `update trace_export_schedules s set due_at = $3
           from (select group_id from trace_export_schedules d where due_at <= $2 and group_id <> all ($4::uuid[]) and exists (
                   select from trace_export_runs r where r.group_id = d.group_id and r.due_at <= $2)
                 order by random() limit $1 for update skip locked) d
           where s.group_id = d.group_id
           returning s.group_id as "integrationId", s.failures, s.at_most as "atMost"`,
    values: [most, now, leasedUntil, busy],
  });
}

export async function updateSchedule(
  tx: Tx,
  { integrationId, failures, atMost }: Schedule,
  dueAt: Date,
): Promise<void> {
  await tx.query({
    name: 'update-trace-export-schedule',
    text: 'update trace_export_schedules set due_at = $2, failures = $3, at_most = $4 where group_id = $1',
    values: [integrationId, dueAt, failures, atMost],
  });
}

export interface WaitingRun {
  entryId: string;
  runId: number;
  attempt: number;
  jobId: number;
  afterJob: number;
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
    text: `select entry_id as "entryId", run_id as "runId", attempt, job_id as "jobId", after_job as "afterJob",
             job_id = 0 and noted_at > $3 and exists (
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
    .map(({ entryId, runId, attempt, jobId, afterJob }) => ({
      entryId,
      runId: Number(runId),
      attempt: Number(attempt),
      jobId: Number(jobId),
      afterJob: Number(afterJob),
    }));
}

/** Locks runs of one integration whose request has ended, in the order of `insertLateJobs`. Waits for transactions that store jobs of these runs. */
export async function lockWaiting(tx: Tx, entryIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'lock-trace-export-runs',
    text: 'select from trace_export_runs where entry_id = any ($1::bigint[]) order by run_id, attempt for update',
    values: [entryIds],
  });
}

export async function deleteWaiting(tx: Tx, entryIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'delete-trace-export-runs',
    text: 'delete from trace_export_runs where entry_id = any ($1::bigint[])',
    values: [entryIds],
  });
}

/** The jobs up to this one were sent. */
export async function advanceWaiting(tx: Tx, entryId: string, afterJob: number): Promise<void> {
  await tx.query('update trace_export_runs set after_job = $2 where entry_id = $1', [entryId, afterJob]);
}

/** Deletes runs that have waited too long, and the oldest beyond the limit. Returns how many. */
export function dropWaiting(tx: Tx, integrationId: string, notedBefore: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from trace_export_runs where group_id = $1 and (noted_at < $2 or entry_id <= (
       select entry_id from trace_export_runs where group_id = $1 order by entry_id desc offset $3 limit 1))`,
    [integrationId, notedBefore, most],
  );
}

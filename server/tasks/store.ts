import type { Tx } from '#platform/database/database.ts';
import type { TaskKindName } from '#contract/integrations/tasks.ts';
import { onlyKey, type Task, type TaskKey } from './task.ts';

/** Free places of a kind. */
export interface FreePlaces {
  kind: string;
  quick: number;
  slow: number;
  perIntegration: number;
}

export interface LeasedTask extends Task {
  /** Whether the turn takes a slow place. */
  isSlow: boolean;
}

export type OfKind = Pick<Task, 'integrationId' | 'kind'>;

/** Leases tasks for free places. `busy` has an entry for each turn in progress, `slow` those that were slow lately. */
export async function claimTasks(
  tx: Tx,
  free: readonly FreePlaces[],
  { busy, slow, leaseMs }: { busy: readonly OfKind[]; slow: readonly OfKind[]; leaseMs: number },
): Promise<LeasedTask[]> {
  return tx.rows<LeasedTask>({
    name: 'claim-tasks',
    text: `select integration_id as "integrationId", kind, key, facts, failures, is_slow as "isSlow"
           from claim_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      free.map(({ kind }) => kind),
      free.map(({ quick }) => quick),
      free.map((places) => places.slow),
      free.map(({ perIntegration }) => perIntegration),
      leaseMs,
      busy.map(({ kind }) => kind),
      busy.map(({ integrationId }) => integrationId),
      slow.map(({ kind }) => kind),
      slow.map(({ integrationId }) => integrationId),
    ],
  });
}

export async function renewTasks(tx: Tx, tasks: readonly TaskKey[], leaseMs: number): Promise<void> {
  await tx.query({
    name: 'renew-tasks',
    text: 'select renew_tasks($1, $2, $3, $4)',
    values: [
      tasks.map(({ integrationId }) => integrationId),
      tasks.map(({ kind }) => kind),
      tasks.map(({ key }) => key),
      leaseMs,
    ],
  });
}

const thisTask = 'integration_id = $1 and kind = $2 and key = $3';
const valuesOf = ({ integrationId, kind, key }: TaskKey) => [integrationId, kind, key];

/** False when the task was requested or stopped during its turn (this changes `due_at`): the result is then outdated. */
const isUnchanged = 'due_at is not distinct from leased_until';

/** Ends the task. One that was requested during its turn is due. Needs the integration in scope. */
export async function finishTask(tx: Tx, task: TaskKey): Promise<void> {
  const values = valuesOf(task);
  await tx.query({
    name: 'finish-task',
    text: `delete from tasks where ${thisTask} and ${isUnchanged}`,
    values,
  });
  await tx.query({
    name: 'release-task',
    text: `update tasks set leased_until = null, failures = 0, failing_since = null, error = null, due_at = due_at where ${thisTask}`,
    values,
  });
}

/** Whether the end of a turn says nothing about the task: it has no result, or failed at what was requested before. */
const isOutdated = `(not $6 or not ${isUnchanged} and $5::text is not null)`;

/**
 * Ends a turn and schedules the next one in `afterMs`, or none when that is null. `error` counts as a failure; null ends a series of
 * failures, and undefined leaves it. Needs the integration in scope.
 */
export async function rescheduleTask(
  tx: Tx,
  task: TaskKey,
  afterMs: number | null,
  error?: string | null,
): Promise<void> {
  await tx.query({
    name: 'reschedule-task',
    text: `update tasks set leased_until = null,
             due_at = case when ${isUnchanged} then now() + $4 * interval '1 ms' else due_at end,
             failures = case when ${isOutdated} then failures when $5 is null then 0 else failures + 1 end,
             failing_since = case when ${isOutdated} then failing_since
               when $5 is not null then coalesce(failing_since, now()) end,
             error = case when ${isOutdated} then error else $5 end
           where ${thisTask}`,
    values: [...valuesOf(task), afterMs, error ?? null, error !== undefined],
  });
}

/** What a request does with a task that exists: `restart` it at once, or leave one alone that is `scheduled` already and not in its turn. */
export type OnConflict = 'restart' | 'scheduled';

/**
 * The end of a statement that stores something and requests the tasks for it. `rows` selects integration, kind, key and due time. A task
 * that is scheduled already and not in its turn is left alone, except those of `orWhen`. Tasks are locked in one order, so that
 * statements cannot deadlock.
 */
export function requestsOf(rows: string, orWhen = 'false'): string {
  return `insert into tasks as t (integration_id, kind, key, due_at) ${rows} order by 1, 2, 3
    on conflict (integration_id, kind, key) do update set due_at = excluded.due_at, requested_at = now()
    where t.due_at is null or t.due_at = t.leased_until or ${orWhen}`;
}

/**
 * The end of a statement that stores work in a table of its module: requests the one task of the kind for each integration of `stored`
 * (group_id), due in `inMs`. One that looks again later does so then; one that failed goes on waiting.
 */
export function requestOfStored(kind: TaskKindName, inMs = 0): string {
  return requestsOf(
    `select distinct group_id, '${kind}', '${onlyKey}', now() + interval '${inMs} ms' from stored`,
    't.failures = 0 and t.due_at > excluded.due_at',
  );
}

/** Requests tasks in the transaction of their cause, due in `inMs`. Needs the integration in scope. */
export async function upsertTasks(
  tx: Tx,
  { integrationId, kind }: OfKind,
  keys: readonly string[],
  onConflict: OnConflict,
  inMs: number,
): Promise<void> {
  const isRestart = onConflict === 'restart';
  const rows = `select $1::uuid, $2, key, now() + $4 * interval '1 ms' from unnest($3::text[]) as key`;
  await tx.query({
    name: `upsert-tasks-${onConflict}`,
    text: isRestart
      ? `insert into tasks as t (integration_id, kind, key, due_at) ${rows} order by 1, 2, 3
         on conflict (integration_id, kind, key) do update
           set due_at = excluded.due_at, requested_at = now(), failures = 0, failing_since = null, error = null`
      : requestsOf(rows),
    values: [integrationId, kind, keys, inMs],
  });
}

export interface TaskCount {
  kind: string;
  waiting: number;
  oldestSeconds: number;
  failing: number;
}

/** Of all integrations together, by kind. Kinds without a task that waits or fails have no row. */
export function countTasks(tx: Tx): Promise<TaskCount[]> {
  return tx.rows<TaskCount>(
    `select kind, waiting::float8 as waiting, oldest_seconds as "oldestSeconds", failing::float8 as failing from count_tasks()`,
  );
}

import { splitValues } from '#contract/base/value-list.ts';
import {
  taskFilters,
  taskKinds,
  textOfKind,
  type BackgroundTask,
  type BackgroundTaskPage,
  type TaskQuery,
} from '#contract/integrations/tasks.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { cursorAfter, decodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { deleteTask, listTasks, lockTask, makeTasksDueNow, type TaskRow } from './store.ts';

interface Deps {
  db: Pick<Database, 'withScope'>;
}

/** What a kind needs before a person repeats a task, by kind: one whose rows say themselves when they are due. */
export type PrepareRetry = Partial<
  Record<string, (tx: Tx, integrationId: string, key: string) => Promise<void>>
>;

/** @throws AppError `invalid_request` for a kind, state or cursor that there is not. */
export async function readTasks(
  { db }: Deps,
  integrationId: string,
  { kind, state, cursor, limit = defaultLimit }: TaskQuery,
): Promise<BackgroundTaskPage> {
  const filter = {
    kinds: choicesOf('kind', kind, Object.keys(taskKinds)),
    states: choicesOf('state', state, taskFilters),
    after: cursor === undefined ? undefined : decodeCursor(cursor, 'uuid'),
  };
  const rows = await db.withScope({ integrationId }, (tx) => listTasks(tx, integrationId, filter, limit + 1));
  return {
    items: rows.slice(0, limit).map(shownTask),
    nextCursor: cursorAfter(rows, limit, ({ taskId }) => taskId),
  };
}

function choicesOf(field: string, text: string | undefined, known: readonly string[]): string[] | undefined {
  const values = text === undefined ? undefined : splitValues(text);
  if (values?.every((value) => known.includes(value)) === false)
    throw invalidField(field, `must be of: ${known.join(', ')}`);
  return values;
}

function shownTask({
  taskId,
  kind,
  subject,
  state,
  failures,
  error,
  requestedAt,
  since,
  nextAt,
}: TaskRow): BackgroundTask {
  const text = textOfKind(kind);
  return {
    taskId,
    kind,
    title: text?.title ?? kind,
    subject,
    state,
    failures,
    error,
    requestedAt: requestedAt.toISOString(),
    since: since?.toISOString() ?? null,
    nextAt: nextAt?.toISOString() ?? null,
    dropNote: text?.drop ?? null,
  };
}

/** Makes the given tasks due, or all that fail, except those that run. Returns how many. */
export function retryTasks(
  { db, prepareRetry }: Deps & { prepareRetry: PrepareRetry },
  actor: Actor,
  taskIds: readonly string[] | undefined,
): Promise<number> {
  return withRole(db, actor, 'admin', async (tx) => {
    const { integrationId, actorId } = actor;
    const tasks = await makeTasksDueNow(tx, integrationId, taskIds);
    const count = tasks.length;
    for (const { kind, key } of tasks) await prepareRetry[kind]?.(tx, integrationId, key);
    if (count > 0)
      await addLogEntry(tx, {
        integrationId,
        type: 'tasks.retried',
        title: count === 1 ? '1 background task was retried' : `${count} background tasks were retried`,
        actorId,
        details: { count },
      });
    return count;
  });
}

/**
 * Deletes a task that is requested again when there is new work of its kind.
 * @throws AppError `not_found`, `task_running`, or `task_not_droppable` when nothing would request it again.
 */
export function dropTask({ db }: Deps, actor: Actor, taskId: string): Promise<void> {
  return withRole(db, actor, 'admin', async (tx) => {
    const { integrationId, actorId } = actor;
    const task = await lockTask(tx, integrationId, taskId);
    if (task === undefined) throw new AppError('not_found', { detail: 'Task not found.' });
    const text = textOfKind(task.kind);
    if (text?.drop === undefined)
      throw new AppError('task_not_droppable', {
        detail: 'Nothing would request this task again. Retry it, or remove what it works for.',
      });
    if (task.state === 'running')
      throw new AppError('task_running', {
        detail: 'The task has a turn at the moment. Drop it afterwards.',
      });
    await deleteTask(tx, integrationId, taskId);
    await addLogEntry(tx, {
      integrationId,
      type: 'tasks.dropped',
      severity: 'warning',
      title: `A background task was dropped: ${text.title}`,
      actorId,
      details: { kind: task.kind, key: task.key },
    });
  });
}

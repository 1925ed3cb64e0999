import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { planRetry } from '#server/forge-app/retry-plan.ts';
import { withTurn } from '#server/forges/budget/turn.ts';
import { installationOfKey, type ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';
import type { Task, TaskKind, Turn, TurnEnd } from '#server/tasks/task.ts';
import { deleteUnchangedTask, readConnection, type ForgeTask } from './task-store.ts';

type ForgeTaskDeps = Pick<SharedDeps, 'db'>;

export interface ForgeTaskOptions {
  kind: ForgeTaskKind;
  /** The permission that the application needs, for error messages. */
  permission: string;
  /** Whether the task still runs after the link was removed. */
  outlivesLink: boolean;
  /** Until it looks again whether the application is suspended or uninstalled, or the token removed. Without it, it runs in any case. */
  restsMs?: number;
  places?: Partial<Pick<TaskKind, 'quickPlaces' | 'slowPlaces' | 'perIntegration' | 'longestMs'>>;
  /** Returns the delay in milliseconds until the next run; undefined for none. */
  run(task: ForgeTask, turn: Turn): Promise<number | undefined>;
}

/** A kind of background work at the forge, of all connections. */
export function forgeTaskKind({ db }: ForgeTaskDeps, options: ForgeTaskOptions): TaskKind {
  return {
    name: options.kind,
    quickPlaces: 8,
    slowPlaces: 8,
    // Calls of a connection follow each other in any case.
    perIntegration: 2,
    // A page of 100 runs with their jobs takes a minute or two.
    longestMs: 5 * minuteMs,
    givesWay: true,
    ...options.places,
    handle: (task, turn) => runOnce({ db }, task, options, turn),
    planRetry: (error, failures) => {
      const { waitMs, text } = planRetry(error, failures, options.permission);
      return { waitMs, error: text };
    },
  };
}

async function runOnce(
  { db }: ForgeTaskDeps,
  { integrationId, key, facts, failures }: Task,
  { kind, outlivesLink, restsMs, run }: ForgeTaskOptions,
  turn: Turn,
): Promise<TurnEnd> {
  const installationId = installationOfKey(key);
  const dateOf = (name: string) => (typeof facts[name] === 'string' ? new Date(facts[name]) : null);
  return withTurn(turn.signal, async () => {
    const connection = await db.withScope({ integrationId }, (tx) =>
      readConnection(tx, integrationId, installationId),
    );
    const times = { since: dateOf('since'), startedAt: dateOf('startedAt') };
    const task: ForgeTask = { kind, integrationId, key, failures, installationId, ...connection, ...times };
    const isOver = !task.isLinked && !outlivesLink;
    if (isOver && (await db.withScope({ integrationId }, (tx) => deleteUnchangedTask(tx, task))))
      return 'settled';
    if (!isOver && restsMs !== undefined && (task.isSuspended || task.isGone)) return { again: restsMs };
    return { again: isOver ? 0 : ((await run(task, turn)) ?? null) };
  });
}

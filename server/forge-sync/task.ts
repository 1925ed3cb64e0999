import type { Database } from '#platform/database/database.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { keepRenewed } from '#platform/runtime/tasks/keep-renewed.ts';
import { planRetry } from '#server/forge-app/retry-plan.ts';
import { withTimeLimit } from '#server/forges/budget/task-time.ts';
import type { ForgeTaskKind } from '#server/forge-tasks/task-kind.ts';
import { runWhenDue } from '#server/forge-tasks/run-when-due.ts';
import {
  deleteTask,
  extendLease,
  finishTask,
  leaseTask,
  rescheduleTask,
  type ForgeTask,
} from './task-store.ts';

export type ForgeTaskDeps = Pick<SharedDeps, 'db' | 'log' | 'listener'>;

export interface ForgeTaskOptions {
  kind: ForgeTaskKind;
  /** The permission that the application needs, for error messages. */
  permission: string;
  /** Whether the task still runs after the link was removed. */
  outlivesLink: boolean;
  /** Returns the delay in milliseconds until the next run; undefined for none. */
  run(task: ForgeTask): Promise<number | undefined>;
}

/** If a process dies, another one continues after this time. */
const leaseMs = 60_000;
const renewEveryMs = 20_000;
/** A page of 100 runs with their jobs takes a minute or two. */
const defaultLongestRunMs = 600_000;
/** Of each kind. */
const atOnce = 4;
/** Of these for connections whose last try failed, so that forges that hang leave places to the others. */
const failingAtOnce = 2;

/** Runs the tasks of all connections, some of each kind at a time. Any number of processes share the work. */
export function makeForgeTasks(
  deps: ForgeTaskDeps,
  kinds: readonly ForgeTaskOptions[],
  longestRunMs = defaultLongestRunMs,
): Service {
  const { db, log } = deps;
  const running = new Map<Promise<void>, ForgeTask>();
  const isFree = (kind: ForgeTaskKind): boolean => tasksOf(kind).length < atOnce;
  const isFreeForFailing = (kind: ForgeTaskKind): boolean =>
    isFree(kind) && tasksOf(kind).filter(({ failures }) => failures > 0).length < failingAtOnce;
  const service = runWhenDue(deps, 'forge tasks', async (signal) => {
    while (!signal.aborted) {
      const free = kinds.map(({ kind }) => kind).filter(isFree);
      if (free.length === 0) return;
      const failing = free.filter(isFreeForFailing);
      const task = await db.withScope('service', (tx) => leaseTask(tx, free, failing, leaseMs));
      if (task === undefined) return;
      start(task);
    }
  });
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await Promise.all(running.keys());
    },
  };

  function tasksOf(kind: ForgeTaskKind): ForgeTask[] {
    return [...running.values()].filter((task) => task.kind === kind);
  }

  function start(task: ForgeTask): void {
    const { kind } = task;
    const options = kinds.find((other) => other.kind === kind);
    if (options === undefined) return;
    const run = runOnce(deps, task, options, longestRunMs)
      .catch((error: unknown) => log.warn({ err: error, kind }, 'forge task not rescheduled'))
      .finally(() => {
        const mayWait = !isFreeForFailing(kind);
        running.delete(run);
        // Another task of this kind may wait for its end.
        if (mayWait) service.request();
      });
    running.set(run, task);
  }
}

async function runOnce(
  { db, log }: ForgeTaskDeps,
  task: ForgeTask,
  { permission, outlivesLink, run }: ForgeTaskOptions,
  longestRunMs: number,
): Promise<void> {
  const { kind, integrationId, installationId } = task;
  try {
    const isOver = !task.isLinked && !outlivesLink;
    const nextMs = isOver
      ? undefined
      : await runLeased(db, task, () => withTimeLimit(longestRunMs, () => run(task)));
    await db.withScope({ integrationId }, async (tx) => {
      if (isOver) await deleteTask(tx, task);
      await finishTask(tx, task, nextMs);
    });
  } catch (error) {
    const { waitMs, text } = planRetry(error, task.failures, permission);
    log.warn({ err: error, kind, integrationId, installationId, waitMs }, 'forge sync rescheduled');
    await db.withScope({ integrationId }, (tx) => rescheduleTask(tx, task, waitMs, text));
  }
}

async function runLeased(
  db: Database,
  task: ForgeTask,
  run: () => Promise<number | undefined>,
): Promise<number | undefined> {
  const { integrationId } = task;
  const endRenewals = keepRenewed(renewEveryMs, () =>
    db.withScope({ integrationId }, (tx) => extendLease(tx, task, leaseMs)),
  );
  try {
    return await run();
  } finally {
    await endRenewals();
  }
}

import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { planRetry } from '#server/forge-app/retry-plan.ts';
import type { ForgeTaskKind } from '#server/forge-tasks/request-tasks.ts';
import {
  deleteTask,
  extendLease,
  finishTask,
  leaseTask,
  rescheduleTask,
  type ForgeTask,
} from './task-store.ts';

export interface ForgeTaskDeps {
  db: Database;
  log: Log;
}

/** Extends the lease. Call it between steps that take seconds. */
export type RenewLease = () => Promise<void>;

export interface ForgeTaskOptions {
  kind: ForgeTaskKind;
  /** The permission that the application needs, for error messages. */
  permission: string;
  /** Whether the task still runs after the link was removed. */
  outlivesLink: boolean;
  /** Returns the delay in milliseconds until the next run; undefined for none. */
  run(task: ForgeTask, renewLease: RenewLease): Promise<number | undefined>;
}

const pollMs = 500;
/** Longer than any step takes. If a process dies, another one continues after this time. */
const leaseMs = 300_000;
/** A forge that hangs occupies one of them for minutes, and the others go on. */
const atOnce = 4;

/** Runs the tasks of one kind for all connections, some at a time. Any number of processes share the work. */
export function makeForgeTask(
  { db, log }: ForgeTaskDeps,
  { kind, permission, outlivesLink, run }: ForgeTaskOptions,
): Service {
  const running = new Set<Promise<void>>();
  const poll = repeat(log, `forge task: ${kind}`, pollMs, async (signal) => {
    while (!signal.aborted && running.size < atOnce) {
      const task = await db.withScope('service', (tx) => leaseTask(tx, kind, leaseMs));
      if (task === undefined) return;
      const run = runOnce(task)
        .catch((error: unknown) => log.warn({ err: error, kind }, 'forge task not rescheduled'))
        .finally(() => running.delete(run));
      running.add(run);
    }
  });
  return {
    ...poll,
    stop: async () => {
      await poll.stop();
      await Promise.all(running);
    },
  };

  async function runOnce(task: ForgeTask): Promise<void> {
    const { integrationId, installationId } = task;
    const renewLease = () => db.withScope({ integrationId }, (tx) => extendLease(tx, task, leaseMs));
    try {
      const isOver = !task.isLinked && !outlivesLink;
      const nextMs = isOver ? undefined : await run(task, renewLease);
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
}

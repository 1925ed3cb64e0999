import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { planRetry } from '#server/forge-app/retry-plan.ts';
import {
  deleteTask,
  extendLease,
  finishTask,
  leaseTask,
  rescheduleTask,
  type ForgeTask,
  type ForgeTaskKind,
} from './task-store.ts';

export interface ForgeTaskDeps {
  db: Database;
  log: Log;
}

/** Keeps the lease: to be called between steps that take seconds. */
export type RenewLease = () => Promise<void>;

export interface ForgeTaskOptions {
  kind: ForgeTaskKind;
  /** What the application must be allowed to do, for who reads on screen or in the log why it does not go on. */
  permission: string;
  /** Whether there is still something to do when the link is gone. */
  outlivesLink: boolean;
  /** Does one turn, and answers in how many milliseconds the next is due, if ever. */
  run(task: ForgeTask, renewLease: RenewLease): Promise<number | undefined>;
}

const pollMs = 500;
/** Longer than any step of a turn takes; whoever dies in the middle is followed by another process after it. */
const leaseMs = 300_000;

/** Does one kind of task for all linked installations, one turn at a time; any number of processes share the work. */
export function makeForgeTask(
  { db, log }: ForgeTaskDeps,
  { kind, permission, outlivesLink, run }: ForgeTaskOptions,
): Service {
  return repeat(log, `forge task: ${kind}`, pollMs, async (signal) => {
    while (!signal.aborted) {
      const task = await db.withScope('service', (tx) => leaseTask(tx, kind, leaseMs));
      if (task === undefined) return;
      await runOnce(task);
    }
  });

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
      log.warn(
        { err: error, kind, integrationId, installationId, waitMs },
        'a task at the forge was put off',
      );
      await db.withScope({ integrationId }, (tx) => rescheduleTask(tx, task, waitMs, text));
    }
  }
}

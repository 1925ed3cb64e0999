import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { putOff } from '#server/forge-app/retry-plan.ts';
import {
  deleteDuty,
  extendLease,
  finishDuty,
  leaseDuty,
  postponeDuty,
  type Duty,
  type DutyKind,
} from './task-store.ts';

export interface DutyDeps {
  db: Database;
  log: Log;
}

/** Keeps the lease: to be called between steps that take seconds. */
export type KeepLease = () => Promise<void>;

export interface DutyWork {
  kind: DutyKind;
  /** What the application must be allowed to do, for who reads on screen or in the log why it does not go on. */
  permission: string;
  /** Whether there is still something to do when the link is gone. */
  outlivesLink: boolean;
  /** Does one turn, and answers in how many milliseconds the next is due, if ever. */
  takeTurn(duty: Duty, keepLease: KeepLease): Promise<number | undefined>;
}

const lookMs = 500;
/** Longer than any step of a turn takes; whoever dies in the middle is followed by another process after it. */
const leaseMs = 300_000;

/** Does one kind of duty for all linked installations, one turn at a time; any number of processes share the work. */
export function makeDuty(
  { db, log }: DutyDeps,
  { kind, permission, outlivesLink, takeTurn }: DutyWork,
): Service {
  return repeat(log, `forge duty: ${kind}`, lookMs, async (signal) => {
    while (!signal.aborted) {
      const duty = await db.withScope('service', (tx) => leaseDuty(tx, kind, leaseMs));
      if (duty === undefined) return;
      await oneTurn(duty);
    }
  });

  async function oneTurn(duty: Duty): Promise<void> {
    const { integrationId, installationId } = duty;
    const keepLease = () => db.withScope({ integrationId }, (tx) => extendLease(tx, duty, leaseMs));
    try {
      const isOver = !duty.isLinked && !outlivesLink;
      const nextMs = isOver ? undefined : await takeTurn(duty, keepLease);
      await db.withScope({ integrationId }, async (tx) => {
        if (isOver) await deleteDuty(tx, duty);
        await finishDuty(tx, duty, nextMs);
      });
    } catch (error) {
      const { waitMs, text } = putOff(error, duty.failures, permission);
      log.warn(
        { err: error, kind, integrationId, installationId, waitMs },
        'a duty at the forge was put off',
      );
      await db.withScope({ integrationId }, (tx) => postponeDuty(tx, duty, waitMs, text));
    }
  }
}

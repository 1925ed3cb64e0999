import type { Tx } from '#platform/database/database.ts';
import { maintenanceTimeoutMs } from '#platform/database/time-limits.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import {
  backlogMs,
  deadLetterRetentionMs,
  housekeepingEveryMs,
  largePayloadRetentionMs,
  messageRetentionMs,
  sweepBatch,
  sweepEveryMs,
} from '../../policy.ts';
import { separateBodies } from '../separate-bodies.ts';
import {
  dropPartitions,
  expiredGroups,
  expireMessages,
  forgetOld,
  giveBackLost,
  makePartitions,
  reapLeases,
  renewLeases,
} from '../store.ts';
import type { WakeUp } from '../wake-up.ts';

const maintenance = { timeoutMs: maintenanceTimeoutMs };

export interface SweepDeps extends Pick<SharedDeps, 'db' | 'log' | 'sealer'> {
  wakeUp: WakeUp;
  /** Leases of this process that are not settled. */
  leases: ReadonlySet<string>;
  visibilityTimeoutMs: number;
  retentionDays: number;
  /** How long a message may stay in another queue before it reaches the log. */
  maxBufferedMs?: number;
  /** How long messages can be received before the old ones end. Default: `backlogMs`. */
  expireAfterMs?: number;
}

/** Periodic tasks of the queue. Any number of processes may run them at the same time. */
export function sweepTasks(deps: SweepDeps): Service[] {
  const { db, log, sealer, retentionDays, maxBufferedMs = 0, expireAfterMs = backlogMs } = deps;
  const largePayloadMs = largePayloadRetentionMs(retentionDays, maxBufferedMs);
  const everyMs = Math.min(sweepEveryMs, deps.visibilityTimeoutMs / 3);
  let sweptAt = Date.now();
  let receivesSince = sweptAt;
  return [
    repeat(log, 'queue sweep', everyMs, async (signal) => {
      const hasExpired = await db.hasRow(expiredGroups);
      const wasPaused = Date.now() - sweptAt > 3 * everyMs;
      if (deps.wakeUp.lostLeases.size > 0) await giveBackLostLeases(deps);
      if (hasExpired || wasPaused) await endLeases(deps, wasPaused);
      sweptAt = Date.now();
      if (wasPaused) receivesSince = sweptAt;
      if (!hasExpired || sweptAt - receivesSince < expireAfterMs) return;
      const expire = async (tx: Tx): Promise<number> => {
        const expired = await expireMessages(tx, messageRetentionMs, sweepBatch);
        if (expired > 0) await separateBodies(tx, sealer);
        return expired;
      };
      await untilDone(signal, () => db.withScope('service', expire, maintenance));
    }),
    repeat(log, 'queue housekeeping', housekeepingEveryMs, async (signal) => {
      await untilDone(signal, () =>
        db.withScope(
          'service',
          (tx) => forgetOld(tx, deadLetterRetentionMs, largePayloadMs, sweepBatch),
          maintenance,
        ),
      );
      await db.withScope('service', (tx) => dropPartitions(tx, retentionDays), maintenance);
    }),
  ];
}

async function giveBackLostLeases({ db, wakeUp }: SweepDeps): Promise<void> {
  const { lostLeases } = wakeUp;
  const asked = [...lostLeases];
  const found = await db.withScope('service', (tx) =>
    giveBackLost(
      tx,
      asked.map(([lease]) => lease),
    ),
  );
  for (const lease of found) lostLeases.delete(lease);
  if (found.length > 0) wakeUp.wakeOne();
  for (const [lease, looks] of asked)
    if (looks > 1 && lostLeases.has(lease)) lostLeases.set(lease, looks - 1);
    else lostLeases.delete(lease);
}

/** A process that was paused renews its own leases first: its batches continue, and no other worker may have taken them. */
async function endLeases(
  { db, log, sealer, wakeUp, leases, visibilityTimeoutMs }: SweepDeps,
  wasPaused: boolean,
): Promise<void> {
  const reaped = await db.withScope('service', async (tx) => {
    if (wasPaused && leases.size > 0) await renewLeases(tx, [...leases], visibilityTimeoutMs);
    const count = await reapLeases(tx);
    if (count > 0) await separateBodies(tx, sealer);
    return count;
  });
  if (reaped === 0) return;
  log.warn({ groups: reaped }, 'leases expired: their worker died or hangs');
  wakeUp.wakeOne();
}

/** Sending needs the partition of the week, so every process that sends creates partitions too. */
export function partitionTask({ db, log }: Pick<SweepDeps, 'db' | 'log'>): Service {
  const make = () => db.withScope('service', makePartitions, maintenance);
  const again = repeat(log, 'queue partitions', housekeepingEveryMs, make);
  return {
    ...again,
    start: async () => {
      await make();
      await again.start();
    },
  };
}

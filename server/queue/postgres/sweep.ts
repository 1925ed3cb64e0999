import type { Database } from '#platform/database/database.ts';
import { maintenanceTimeoutMs } from '#platform/database/time-limits.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { untilDone } from '#platform/runtime/until-done.ts';
import {
  deadLetterRetentionMs,
  housekeepingEveryMs,
  largePayloadRetentionMs,
  messageRetentionMs,
  sweepBatch,
  sweepEveryMs,
} from '../policy.ts';
import { dropPartitions, expireMessages, forgetOld, makePartitions, reapLeases } from './store.ts';
import type { WakeUp } from './wake-up.ts';

const maintenance = { timeoutMs: maintenanceTimeoutMs };

export interface SweepDeps {
  db: Database;
  log: Log;
  wakeUp: WakeUp;
  visibilityTimeoutMs: number;
  retentionDays: number;
  /** How long a message may stay in another queue before it reaches the log. */
  maxBufferedMs?: number;
}

/** Periodic tasks of the queue. Any number of processes may run them at the same time. */
export function sweepTasks(deps: SweepDeps): Service[] {
  const { db, log, wakeUp, visibilityTimeoutMs, retentionDays, maxBufferedMs = 0 } = deps;
  const largePayloadMs = largePayloadRetentionMs(retentionDays, maxBufferedMs);
  return [
    repeat(log, 'queue sweep', Math.min(sweepEveryMs, visibilityTimeoutMs / 3), async (signal) => {
      const reaped = await db.withScope('service', reapLeases);
      if (reaped > 0) {
        log.warn({ groups: reaped }, 'leases expired: their worker died or hangs');
        wakeUp.wakeOne();
      }
      await untilDone(signal, () =>
        db.withScope('service', (tx) => expireMessages(tx, messageRetentionMs, sweepBatch), maintenance),
      );
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

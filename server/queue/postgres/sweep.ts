import type { Database } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import {
  deadLetterRetentionMs,
  deduplicationMs,
  housekeepingEveryMs,
  messageRetentionMs,
  sweepEveryMs,
} from '../policy.ts';
import { expireMessages, forgetOld, keepPartitions, reapLeases } from './store.ts';
import type { WakeUp } from './wake-up.ts';

export interface SweepDeps {
  db: Database;
  log: Log;
  wakeUp: WakeUp;
  visibilityTimeoutMs: number;
  retentionDays: number;
}

/** The queue's periodic duties; any number of processes may do them at the same time. */
export function sweepDuties(deps: SweepDeps): Service[] {
  const { db, log, wakeUp, visibilityTimeoutMs, retentionDays } = deps;
  const sweepMs = Math.min(sweepEveryMs, visibilityTimeoutMs / 3);
  return [
    repeat(log, 'queue sweep', sweepMs, async () => {
      const reaped = await db.withScope('service', reapLeases);
      if (reaped > 0) {
        log.warn({ groups: reaped }, 'leases ran out: their worker died or hangs');
        wakeUp.wakeOne();
      }
      await db.withScope('service', (tx) => expireMessages(tx, messageRetentionMs));
    }),
    repeat(log, 'queue housekeeping', housekeepingEveryMs, async () => {
      await db.withScope('service', (tx) => keepPartitions(tx, retentionDays));
      await db.withScope('service', (tx) => forgetOld(tx, deduplicationMs, deadLetterRetentionMs));
    }),
  ];
}

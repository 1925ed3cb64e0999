import { sentAhead, type Tx } from '#platform/database/database.ts';
import { upsertCounters } from './counter-store.ts';
import type { CounterRow } from './counters.ts';

/**
 * Adds to the counters without waiting for the answer. The caller must be the only writer of each integration, or there may be a
 * few series more.
 */
export function addToCounters(tx: Tx, deltas: readonly CounterRow[]): void {
  if (deltas.length > 0) void sentAhead(upsertCounters(tx, deltas));
}

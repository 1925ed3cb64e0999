import type { Tx } from '#platform/database/database.ts';
import { requestOfStored, requestsOf, upsertTasks, type OfKind, type OnConflict } from './store.ts';

export { requestOfStored, requestsOf };

/** Requests tasks in the transaction of their cause, due in `inMs`. Needs the integration in scope. */
export function requestTasks(
  tx: Tx,
  of: OfKind,
  keys: readonly string[],
  onConflict: OnConflict,
  inMs = 0,
): Promise<void> {
  return upsertTasks(tx, of, keys, onConflict, inMs);
}

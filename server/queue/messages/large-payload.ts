import type { Database } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { decodeLargeBody, encodeLargeBody } from './body-coding.ts';
import { insertLargePayload, selectLargePayload } from './large-payload-store.ts';

/** Stores a payload that is too large for a message, sealed for its group. Returns the reference to queue instead. */
export async function storeLargePayload(
  db: Database,
  sealer: Sealer,
  groupId: string,
  payload: Buffer,
): Promise<string> {
  const sealed = await encodeLargeBody(sealer, groupId, payload);
  return db.withScope('service', (tx) => insertLargePayload(tx, groupId, sealed));
}

/** Undefined when the group has no payload with this reference. */
export async function loadLargePayload(
  db: Database,
  sealer: Sealer,
  groupId: string,
  payloadRef: string,
): Promise<Buffer | undefined> {
  const sealed = await db.withScope('service', (tx) => selectLargePayload(tx, groupId, payloadRef));
  return sealed && decodeLargeBody(sealer, groupId, sealed);
}

import { randomUUID } from 'node:crypto';
import type { Tx } from '#platform/database/database.ts';

/** Returns the reference. It is made here, because the api may not read what it inserts without a scope. */
export async function insertLargePayload(tx: Tx, groupId: string, body: Buffer): Promise<string> {
  const payloadRef = randomUUID();
  await tx.query('insert into large_payload (payload_id, group_id, body) values ($1, $2, $3)', [
    payloadRef,
    groupId,
    body,
  ]);
  return payloadRef;
}

/** Also records that the payload is needed, which delays its deletion. */
export function selectLargePayload(tx: Tx, groupId: string, payloadRef: string): Promise<Buffer | undefined> {
  return tx.value<Buffer>(
    `update large_payload set needed_at = clock_timestamp() where payload_id = $2 and group_id = $1 returning body`,
    [groupId, payloadRef],
  );
}

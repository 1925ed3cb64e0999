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

/** The driver decodes a body from hex text, which takes 40 ms for 17 MiB. A piece takes 2. */
const pieceBytes = 1024 * 1024;

/** Also records that the payload is needed, which delays its deletion. */
export async function selectLargePayload(
  tx: Tx,
  groupId: string,
  payloadRef: string,
): Promise<Buffer | undefined> {
  const pieces = await tx.column<Buffer>(
    `with needed as (
       update large_payload set needed_at = clock_timestamp() where payload_id = $2 and group_id = $1 returning body
     )
     select substr(body, at, $3) from needed, generate_series(1, length(body), $3) as at order by at`,
    [groupId, payloadRef, pieceBytes],
  );
  return pieces.length === 0 ? undefined : Buffer.concat(pieces);
}

import type { Tx } from '#platform/database/database.ts';

export async function insertLargePayload(tx: Tx, groupId: string, body: Buffer): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('select large_payload_store($1, $2) as id', [
    groupId,
    body,
  ]);
  return rows[0]?.id ?? '';
}

export async function selectLargePayload(
  tx: Tx,
  groupId: string,
  payloadRef: string,
): Promise<Buffer | undefined> {
  const { rows } = await tx.query<{ body: Buffer | null }>('select large_payload_load($1, $2) as body', [
    groupId,
    payloadRef,
  ]);
  return rows[0]?.body ?? undefined;
}

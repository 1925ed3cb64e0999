import type { Tx } from '#platform/database/database.ts';
import type { CodedBody } from './body-coding.ts';

export async function insertLargePayload(
  tx: Tx,
  groupId: string,
  { encoding, bytes }: CodedBody,
): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('select large_payload_store($1, $2, $3) as id', [
    groupId,
    encoding,
    bytes,
  ]);
  return rows[0]?.id ?? '';
}

export async function selectLargePayload(
  tx: Tx,
  groupId: string,
  payloadRef: string,
): Promise<CodedBody | undefined> {
  const { rows } = await tx.query<CodedBody>(
    'select encoding, body as bytes from large_payload_load($1, $2)',
    [groupId, payloadRef],
  );
  return rows[0];
}

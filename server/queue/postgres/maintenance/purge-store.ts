import type { Tx } from '#platform/database/database.ts';
import type { Place } from '../../messages/segment.ts';

/** A segment with messages to delete. */
export interface PurgedSegment {
  id: string;
  acceptedAt: string;
  sealed: Buffer;
  /** The numbers of the messages, and their places in the same order. */
  seqs: string[];
  places: Place[];
}

/** Up to `most` segments with messages of the deleted integration in scope. */
export function selectDeletedSegments(tx: Tx, most: number): Promise<PurgedSegment[]> {
  return selectSegments(tx, 'deleted_segments', most);
}

/** Segments with up to `most` processed messages of removed sample data of the integration in scope. */
export function selectSampleSegments(tx: Tx, most: number): Promise<PurgedSegment[]> {
  return selectSegments(tx, 'removed_sample_segments', most);
}

async function selectSegments(
  tx: Tx,
  source: 'deleted_segments' | 'removed_sample_segments',
  most: number,
): Promise<PurgedSegment[]> {
  const rows = await tx.rows<Omit<PurgedSegment, 'places'> & { starts: number[]; lengths: number[] }>(
    `select segment_id as id, accepted_at::text as "acceptedAt", body as sealed, starts, lengths, seqs from ${source}($1)`,
    [most],
  );
  return rows.map(({ starts, lengths, ...segment }) => ({
    ...segment,
    places: starts.map((start, index) => ({ start, length: lengths[index]! })),
  }));
}

/** Deletes the messages. The segment is deleted when `body` is empty, and stays as it is without `body`. */
export async function purgeSegment(
  tx: Tx,
  { id, acceptedAt, seqs }: PurgedSegment,
  body: Buffer | undefined,
): Promise<void> {
  await tx.query('select purge_segment($1, $2, $3, $4)', [id, acceptedAt, body, seqs]);
}

import type { Tx } from '#platform/database/database.ts';
import type { Place } from '../../messages/segment.ts';

export interface DeletedSegment {
  id: string;
  acceptedAt: string;
  sealed: Buffer;
  /** The places of the deleted integration. */
  places: Place[];
}

/** Segments with messages of the deleted integration in scope. */
export async function selectDeletedSegments(tx: Tx, most: number): Promise<DeletedSegment[]> {
  const { rows } = await tx.query<Omit<DeletedSegment, 'places'> & { starts: number[]; lengths: number[] }>(
    `select segment_id as id, accepted_at::text as "acceptedAt", body as sealed, starts, lengths from deleted_segments($1)`,
    [most],
  );
  return rows.map(withPlaces);
}

export interface SampleSegment extends DeletedSegment {
  /** The messages at these places. */
  seqs: string[];
}

/** Segments with up to `most` processed messages of removed sample data of the integration in scope. */
export async function selectSampleSegments(tx: Tx, most: number): Promise<SampleSegment[]> {
  const { rows } = await tx.query<Omit<SampleSegment, 'places'> & { starts: number[]; lengths: number[] }>(
    `select segment_id as id, accepted_at::text as "acceptedAt", body as sealed, starts, lengths, seqs
     from removed_sample_segments($1)`,
    [most],
  );
  return rows.map(withPlaces);
}

/** Deletes these messages, as `purgeSegment` does. */
export async function purgeSampleSegment(
  tx: Tx,
  { id, acceptedAt, seqs }: SampleSegment,
  body: Buffer | undefined,
): Promise<void> {
  await tx.query('select purge_sample_segment($1, $2, $3, $4)', [id, acceptedAt, body, seqs]);
}

function withPlaces<Row extends { starts: number[]; lengths: number[] }>({
  starts,
  lengths,
  ...segment
}: Row) {
  return { ...segment, places: starts.map((start, index) => ({ start, length: lengths[index]! })) };
}

/** Deletes the messages. The segment is deleted when `body` is empty, and stays as it is without `body`. */
export async function purgeSegment(
  tx: Tx,
  { id, acceptedAt }: DeletedSegment,
  body: Buffer | undefined,
): Promise<void> {
  await tx.query('select purge_segment($1, $2, $3)', [id, acceptedAt, body]);
}

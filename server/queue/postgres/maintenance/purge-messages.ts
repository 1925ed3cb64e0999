import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { blankPlaces, openSegment, sealSegment } from '../../messages/segment.ts';
import {
  purgeSegment,
  selectDeletedSegments,
  selectSampleSegments,
  type PurgedSegment,
} from './purge-store.ts';

/** Segments in one transaction. Each has up to 1 MiB. */
const atOnce = 10;

/**
 * Deletes messages of the deleted integration in scope and overwrites their bodies in the segments that they share with
 * others. Returns how many segments it changed; 0 when there are no more.
 */
export async function purgeMessages(tx: Tx, sealer: Sealer): Promise<number> {
  return purge(tx, sealer, await selectDeletedSegments(tx, atOnce));
}

/** Sample traffic comes slowly, so that each message may have a segment of its own. */
const samplesAtOnce = 200;

/** The same for processed messages of removed sample data of the integration in scope. */
export async function purgeSampleMessages(tx: Tx, sealer: Sealer): Promise<number> {
  return purge(tx, sealer, await selectSampleSegments(tx, samplesAtOnce));
}

async function purge(tx: Tx, sealer: Sealer, segments: readonly PurgedSegment[]): Promise<number> {
  for (const segment of segments) await purgeSegment(tx, segment, rewritten(sealer, segment));
  return segments.length;
}

/** Empty when no other message remains. Undefined when the segment cannot be opened, so that nobody can read it. */
function rewritten(sealer: Sealer, { sealed, places }: PurgedSegment): Buffer | undefined {
  let plain: Buffer;
  try {
    plain = openSegment(sealer, sealed);
  } catch {
    return undefined;
  }
  return blankPlaces(plain, places) ? sealSegment(sealer, plain) : Buffer.alloc(0);
}

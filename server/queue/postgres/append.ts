import type { LRUCache } from 'lru-cache';
import type { Database } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { packSegment, sealSegment } from '../messages/segment.ts';
import type { OutgoingMessage } from '../queue.ts';
import { appendSegment } from './store.ts';

/** Opened segments by number. */
export type OpenedSegments = Pick<LRUCache<string, Buffer>, 'set' | 'get' | 'entries' | 'clear'>;

export interface AppendDeps {
  db: Database;
  sealer: Sealer;
  /** Segments that a receiver of this process need not read. */
  opened?: OpenedSegments | undefined;
}

/**
 * Appends the messages in one segment, without those that are pending or processed already. Returns the appended ones. They
 * must differ in group or deduplication id.
 */
export async function appendMessages<Message extends OutgoingMessage>(
  { db, sealer, opened }: AppendDeps,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  let fresh = messages;
  // A known message is left out of the segment: a body without a message would outlive its integration.
  while (fresh.length > 0) {
    const { plain, places } = packSegment(fresh);
    const { segment, isFresh } = await appendSegment(db, fresh, places, sealSegment(sealer, plain));
    if (segment !== null) {
      opened?.set(segment, plain);
      break;
    }
    fresh = fresh.filter((_, index) => isFresh[index]);
  }
  return fresh;
}

/** The first of those with the same group and deduplication id. */
export function withoutRepeats<Message extends OutgoingMessage>(messages: readonly Message[]): Message[] {
  const known = new Set<string>();
  return messages.filter(({ groupId, deduplicationId }) => {
    const key = `${groupId} ${deduplicationId}`;
    return !known.has(key) && known.add(key);
  });
}

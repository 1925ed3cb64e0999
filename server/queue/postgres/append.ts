import type { LRUCache } from 'lru-cache';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { packSegment, sealSegment } from '../messages/segment.ts';
import { flushBytes } from '../policy.ts';
import type { OutgoingMessage } from '../queue.ts';
import { appendSegment, type LeaseRequest, type MessageRow } from './store.ts';

/** Opened segments by number. */
export type OpenedSegments = Pick<LRUCache<string, Buffer>, 'set' | 'get' | 'entries' | 'clear'>;

export interface AppendDeps extends Pick<SharedDeps, 'db' | 'sealer'> {
  /** Segments that a receiver of this process need not read. */
  opened?: OpenedSegments | undefined;
}

export interface Appended<Message> {
  /** The messages that were not pending or processed already. */
  fresh: readonly Message[];
  /** Those whose group was idle, when a lease was requested. */
  leased: LeasedMessages;
}

export interface LeasedMessages {
  rows: MessageRow[];
  opened: Map<string, Buffer>;
}

/** Segments that no receiver of this process reads are packed here. New memory for each would cost more than the packing. */
const unread = Buffer.allocUnsafeSlow(2 * flushBytes);

/**
 * Appends the messages in one segment, without those that are pending or processed already. They must differ in group or
 * deduplication id.
 */
export async function appendMessages<Message extends OutgoingMessage>(
  { db, sealer, opened }: AppendDeps,
  messages: readonly Message[],
  lease?: LeaseRequest,
): Promise<Appended<Message>> {
  const isRead = opened !== undefined || lease !== undefined;
  let fresh = messages;
  // A known message is left out of the segment: a body without a message would outlive its integration.
  while (fresh.length > 0) {
    const { plain, places } = packSegment(fresh, isRead ? undefined : unread);
    const added = await appendSegment(db, fresh, places, sealSegment(sealer, plain), lease);
    if (added.segment !== null) {
      const { segment, leased } = added;
      if (leased.length < fresh.length) opened?.set(segment, plain);
      return { fresh, leased: { rows: leased, opened: new Map([[segment, plain]]) } };
    }
    fresh = fresh.filter((_, index) => added.isFresh[index]);
  }
  return { fresh, leased: { rows: [], opened: new Map() } };
}

/** The first of those with the same group and deduplication id. */
export function withoutRepeats<Message extends OutgoingMessage>(messages: readonly Message[]): Message[] {
  const known = new Set<string>();
  return messages.filter(({ groupId, deduplicationId }) => {
    const key = `${groupId} ${deduplicationId}`;
    return !known.has(key) && known.add(key);
  });
}

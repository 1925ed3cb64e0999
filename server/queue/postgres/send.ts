import type { Database } from '#platform/database/database.ts';
import { makeBatcher } from '#platform/runtime/batcher.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { encodeBody } from '../messages/body-coding.ts';
import { flushBytes, flushMessages, maxMessageBytes } from '../policy.ts';
import { MessageTooLargeError, type OutgoingMessage, type EnqueueResult } from '../queue.ts';
import { appendMessages, type SealedMessage } from './store.ts';

export interface Sender {
  send(message: OutgoingMessage): Promise<EnqueueResult>;
  /** Resolves when every message was written or failed. */
  idle(): Promise<void>;
}

/**
 * Group commit: messages that arrive while a commit waits for the disk share the next one. One commit runs at a time: a
 * second one was not faster and could overtake it. When a commit fails or its outcome is unknown, every caller gets the
 * error. A retry of a message that was written is a duplicate.
 */
export function makeSender(
  db: Database,
  sealer: Sealer,
  { onQueued, onSending }: { onQueued(): void; onSending(isSending: boolean): void },
): Sender {
  const batcher = makeBatcher<SealedMessage, EnqueueResult>({
    maxItems: flushMessages,
    maxWeight: flushBytes,
    weigh: ({ body }) => body.length,
    onBusy: onSending,
    work: async (messages) => {
      const firsts = withoutRepeats(messages);
      const accepted = await appendMessages(db, firsts);
      const queued = new Set(firsts.filter((_, index) => accepted[index]));
      if (queued.size > 0) onQueued();
      return messages.map((message) => (queued.has(message) ? 'queued' : 'duplicate'));
    },
  });
  return {
    send: async ({ groupId, deduplicationId, body }) => {
      if (body.length > maxMessageBytes) throw new MessageTooLargeError(`${body.length} bytes`);
      return batcher.add({ groupId, deduplicationId, body: encodeBody(sealer, groupId, body) });
    },
    idle: batcher.idle,
  };
}

function withoutRepeats(messages: readonly SealedMessage[]): SealedMessage[] {
  const known = new Set<string>();
  return messages.filter(({ groupId, deduplicationId }) => {
    const key = `${groupId} ${deduplicationId}`;
    return !known.has(key) && known.add(key);
  });
}

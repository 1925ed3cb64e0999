import { makeBatcher } from '#platform/runtime/batcher.ts';
import { flushBytes, flushMessages, maxMessageBytes } from '../policy.ts';
import { MessageTooLargeError, type OutgoingMessage, type EnqueueResult } from '../queue.ts';
import { appendMessages, withoutRepeats, type AppendDeps } from './append.ts';

export interface Sender {
  send(message: OutgoingMessage): Promise<EnqueueResult>;
  /** Resolves when every message was written or failed. */
  idle(): Promise<void>;
}

/**
 * Group commit: messages that arrive while a commit waits for the disk share the next one, and its segment. One commit runs at a
 * time: a second one was not faster and could overtake it. When a commit fails or its outcome is unknown, every caller gets the
 * error. A retry of a message that was written is a duplicate.
 */
export function makeSender(deps: AppendDeps, onQueued: () => void): Sender {
  const batcher = makeBatcher<OutgoingMessage, EnqueueResult>({
    maxItems: flushMessages,
    maxWeight: flushBytes,
    weigh: ({ body }) => body.length,
    work: async (messages) => {
      const queued = new Set(await appendMessages(deps, withoutRepeats(messages)));
      if (queued.size > 0) onQueued();
      return messages.map((message) => (queued.has(message) ? 'queued' : 'duplicate'));
    },
  });
  return {
    send: async (message) => {
      const bytes = message.body.length;
      if (bytes > maxMessageBytes) throw new MessageTooLargeError(`${bytes} bytes`);
      return batcher.add(message);
    },
    idle: batcher.idle,
  };
}

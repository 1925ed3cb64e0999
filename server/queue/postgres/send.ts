import type { Database } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { encodeBody } from '../messages/body-coding.ts';
import { flushBytes, flushMessages, maxMessageBytes } from '../policy.ts';
import { MessageTooLargeError, type OutgoingMessage, type EnqueueResult } from '../queue.ts';
import { appendMessages, type SealedMessage } from './store.ts';

interface Waiting {
  message: SealedMessage;
  resolve(outcome: EnqueueResult): void;
  reject(error: unknown): void;
}

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
  let waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;

  const takeFlush = (): Waiting[] => {
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < flushMessages && (count === 0 || bytes < flushBytes)) {
      bytes += waiting[count]?.message.body.length ?? 0;
      count += 1;
    }
    const flush = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return flush;
  };

  const write = async (flush: Waiting[]): Promise<void> => {
    try {
      const firsts = withoutRepeats(flush);
      const accepted = await appendMessages(
        db,
        firsts.map(({ message }) => message),
      );
      const isQueued = new Set(firsts.filter((_, index) => accepted[index]));
      for (const one of flush) one.resolve(isQueued.has(one) ? 'queued' : 'duplicate');
      if (isQueued.size > 0) onQueued();
    } catch (error) {
      for (const { reject } of flush) reject(error);
    }
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      // Requests that are read in the same turn of the event loop share the commit.
      await nextTurn();
      await write(takeFlush());
    }
    flushing = undefined;
    onSending(false);
  };

  return {
    send: ({ groupId, deduplicationId, body }) => {
      if (body.length > maxMessageBytes)
        return Promise.reject(new MessageTooLargeError(`${body.length} bytes`));
      const message = { groupId, deduplicationId, body: encodeBody(sealer, groupId, body) };
      return new Promise((resolve, reject) => {
        waiting.push({ message, resolve, reject });
        if (flushing === undefined) onSending(true);
        flushing ??= writeAll();
      });
    },
    idle: async () => flushing,
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function withoutRepeats(flush: readonly Waiting[]): Waiting[] {
  const known = new Set<string>();
  return flush.filter(({ message: { groupId, deduplicationId } }) => {
    const key = `${groupId} ${deduplicationId}`;
    return !known.has(key) && known.add(key);
  });
}

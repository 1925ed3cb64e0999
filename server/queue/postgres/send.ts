import { randomUUID } from 'node:crypto';
import { makeBatcher } from '#platform/runtime/tasks/batcher.ts';
import { flushBytes, flushMessages, lostLeaseLooks, maxMessageBytes } from '../policy.ts';
import { MessageTooLargeError, type OutgoingMessage, type EnqueueResult } from '../queue.ts';
import { appendMessages, withoutRepeats, type AppendDeps, type Appended } from './append.ts';
import type { WakeUp } from './wake-up.ts';

export interface Sender {
  send(message: OutgoingMessage): Promise<EnqueueResult>;
  /** Resolves when every message was written or failed. */
  idle(): Promise<void>;
}

export interface SenderDeps extends AppendDeps {
  wakeUp: Pick<WakeUp, 'reserve' | 'lostLeases'>;
  visibilityTimeoutMs: number;
}

/**
 * Group commit: messages that arrive while a commit waits for the disk share the next one, and its segment. One commit runs at a
 * time: a second one was not faster and could overtake it. When a commit fails or its outcome is unknown, every caller gets the
 * error. A retry of a message that was written is a duplicate.
 *
 * A receiver that sleeps in this process gets the messages of idle groups from memory, leased by the commit itself. When the
 * outcome is unknown, the sweep gives the lease back.
 */
export function makeSender(deps: SenderDeps, onQueued: () => void): Sender {
  const batcher = makeBatcher<OutgoingMessage, EnqueueResult>({
    maxItems: flushMessages,
    maxWeight: flushBytes,
    weigh: ({ body }) => body.length,
    work: async (messages) => {
      const receiver = deps.wakeUp.reserve(messages.length);
      const lease = randomUUID();
      const request = receiver && { lease, visibilityMs: deps.visibilityTimeoutMs };
      let appended: Appended<OutgoingMessage> | undefined;
      try {
        appended = await appendMessages(deps, withoutRepeats(messages), request);
      } catch (error) {
        if (request !== undefined) deps.wakeUp.lostLeases.set(lease, lostLeaseLooks);
        throw error;
      } finally {
        const leased = appended?.leased;
        receiver?.(leased && leased.rows.length > 0 ? { lease, ...leased } : undefined);
      }
      const queued = new Set(appended.fresh);
      if (queued.size > appended.leased.rows.length) onQueued();
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

import type { QueuedEvent } from '#contract/integrations.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { buildWebhookMessage } from '#server/queue/message.ts';
import { maxMessageBytes } from '#server/queue/policy.ts';
import type { Queue, SendOutcome } from '#server/queue/queue.ts';

interface AcceptedEvent {
  integrationId: string;
  eventType: QueuedEvent;
  deliveryId: string;
  receivedAt: Date;
  /** JSON in UTF-8, as received. */
  payload: Buffer;
  headers?: Record<string, string>;
}

/** Resolves when the event is durable. @throws AppError `try_again` when it is not; nothing was accepted then. */
export type EnqueueEvent = (event: AcceptedEvent) => Promise<SendOutcome>;

export interface EnqueueDeps {
  queue: Pick<Queue, 'send'>;
  /** Keeps a payload too large for a message, and answers the reference to queue in its place. */
  storeLargePayload(groupId: string, payload: Buffer): Promise<string>;
}

/** Bodies waiting for the disk at once; above this the forge is told to come back rather than memory being filled. */
const mostWaitingBytes = 256 * 1024 * 1024;

export function makeEnqueueEvent({ queue, storeLargePayload }: EnqueueDeps): EnqueueEvent {
  let waitingBytes = 0;
  return async (event) => {
    if (waitingBytes + event.payload.length > mostWaitingBytes) throw tryAgain('Too many webhooks at once.');
    waitingBytes += event.payload.length;
    try {
      return await send(event);
    } catch (error) {
      throw tryAgain('The queue does not take messages.', error);
    } finally {
      waitingBytes -= event.payload.length;
    }
  };

  async function send(event: AcceptedEvent): Promise<SendOutcome> {
    const groupId = event.integrationId;
    const direct = buildWebhookMessage({ ...event, payload: event.payload });
    const body =
      direct.length <= maxMessageBytes
        ? direct
        : buildWebhookMessage({ ...event, payloadRef: await storeLargePayload(groupId, event.payload) });
    return queue.send({ groupId, deduplicationId: event.deliveryId, body });
  }
}

function tryAgain(detail: string, cause?: unknown): AppError {
  return new AppError('try_again', { detail, retryAfterSeconds: 5, cause });
}

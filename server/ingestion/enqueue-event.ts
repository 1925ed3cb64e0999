import type { DiskGuard } from '#platform/database/disk-guard.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { buildWebhookMessage, type WebhookContent } from '#server/queue/messages/message.ts';
import { maxMessageBytes } from '#server/queue/policy.ts';
import type { Bytes, Queue, EnqueueResult } from '#server/queue/queue.ts';

type AcceptedEvent = WebhookContent & {
  payload: Buffer;
  /** The payload must not be parsed. It is stored separately, because messages are parsed. */
  isTooComplex: boolean;
};

/** Resolves when the event is durable. @throws AppError `try_again` or `storage_full` otherwise; it may still be stored later. */
export type EnqueueEvent = (event: AcceptedEvent) => Promise<EnqueueResult>;

export interface EnqueueDeps {
  queue: Pick<Queue, 'send'>;
  disk: Pick<DiskGuard, 'refusalFor'>;
  /** Stores a payload that is too large for a message. Returns the reference to queue instead. */
  storeLargePayload(groupId: string, payload: Buffer): Promise<string>;
}

export function makeEnqueueEvent({ queue, disk, storeLargePayload }: EnqueueDeps): EnqueueEvent {
  return async (event) => {
    try {
      return await send(event);
    } catch (error) {
      const detail = 'The queue does not take messages.';
      throw (
        disk.refusalFor(error) ?? new AppError('try_again', { detail, retryAfterSeconds: 5, cause: error })
      );
    }
  };

  async function send({ isTooComplex, ...event }: AcceptedEvent): Promise<EnqueueResult> {
    const groupId = 'integrationId' in event ? event.integrationId : appGroup(event.installationId);
    const body =
      (isTooComplex ? undefined : buildDirect(event)) ??
      buildWebhookMessage({ ...event, payloadRef: await storeLargePayload(groupId, event.payload) });
    return queue.send({ groupId, deduplicationId: event.deliveryId, body });
  }
}

/** Undefined when the event is too large for a message. */
function buildDirect(event: WebhookContent & { payload: Buffer }): Bytes | undefined {
  if (event.payload.length > maxMessageBytes) return undefined;
  const body = buildWebhookMessage(event);
  return body.length <= maxMessageBytes ? body : undefined;
}

/** Events of one installation keep their order and do not delay an integration. */
const appGroup = (installationId: string): string => `forge-app:${installationId}`;

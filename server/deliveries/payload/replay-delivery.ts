import type { Replayed } from '#contract/deliveries/deliveries.ts';
import type { DiskGuard } from '#platform/database/disk-guard.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { makeReplayId } from '#server/queue/messages/message.ts';
import type { Quotas } from '#server/quotas/quotas.ts';
import type { Queue } from '#server/queue/queue.ts';
import { findQueuedDelivery } from '../find-delivery.ts';
import type { DeliveriesDeps } from '../load-deliveries.ts';
import { hasPayload } from './read-payload.ts';

export interface ReplayDeps extends DeliveriesDeps {
  queue: Pick<Queue, 'send'>;
  quotas: Quotas;
  disk: Pick<DiskGuard, 'requireSpace'>;
}

/**
 * Queues the same body again at the end of the integration's group, under a new delivery id. Safe to repeat: stale events
 * change nothing. @throws AppError `not_found`, or `conflict` when the body was deleted.
 */
export async function replayDelivery(
  deps: ReplayDeps,
  integrationId: string,
  deliveryId: string,
  actorId: string,
): Promise<Replayed> {
  const { stored, opened } = await findQueuedDelivery(deps, integrationId, deliveryId);
  const { message, event } = opened;
  if (message === undefined || !(await hasPayload(deps, integrationId, opened))) {
    throw new AppError('conflict', {
      detail: 'The body was deleted or cannot be decrypted. Redeliver the webhook at the forge.',
    });
  }
  deps.disk.requireSpace();
  await deps.quotas.take(integrationId, { bytes: message.length, events: 1 });
  const forgeDeliveryId = makeReplayId(stored.deduplicationId);
  await deps.queue.send({
    groupId: integrationId,
    deduplicationId: forgeDeliveryId,
    body: message,
  });
  await recordLogEntry(deps.db, {
    integrationId,
    type: 'deliveries.replayed',
    title: `A ${event} delivery was replayed`,
    actorId,
    details: { deliveryId, forgeDeliveryId },
  });
  return { forgeDeliveryId };
}

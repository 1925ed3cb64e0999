import {
  unqueuedReasons,
  type Delivery,
  type DeliveryStep,
  type UnqueuedReason,
} from '#contract/deliveries/deliveries.ts';
import type { UnqueuedRow } from './unqueued-store.ts';

/** A delivery that was not queued, as an item of the list. */
export function unqueuedItem(row: UnqueuedRow): Delivery {
  const at = row.receivedAt.toISOString();
  return {
    deliveryId: row.deliveryNo,
    forgeDeliveryId: row.forgeDeliveryId,
    event: row.event ?? 'unknown',
    action: null,
    repository: null,
    verdict: unqueuedReasons[row.reason],
    reason: row.reason,
    receivedAt: at,
    queuedAt: at,
    replayed: false,
    address: row.address,
  };
}

const unsigned: Partial<Record<UnqueuedReason, string>> = {
  invalid_signature:
    'The signature does not match the body and the secret of this integration. Answered with 401.',
  payload_too_large: 'The body is larger than WEBHOOK_MAX_BYTES, so it was not read. Answered with 413.',
};

const notQueued: Partial<Record<UnqueuedReason, string>> = {
  unsupported_event: 'The event type is not supported. Answered with 400.',
  invalid_json: 'The body is not JSON. Answered with 400.',
  quota_exceeded: 'A quota of the day was used up, so the delivery was not stored. Answered with 429.',
  storage_full: 'The disk of the server was full, so the delivery was not stored. Answered with 503.',
  not_subscribed: 'The integration does not subscribe to this event type. Answered with 200.',
  ping: 'A ping tests the webhook and holds no event. Answered with 200.',
};

/** Where a delivery that was not queued ended. Pure. */
export function stepsOfUnqueued({ receivedAt, reason }: UnqueuedRow): DeliveryStep[] {
  const at = receivedAt.toISOString();
  const received: DeliveryStep = { step: 'received', outcome: 'done', at, detail: null };
  const refusal = unsigned[reason];
  if (refusal !== undefined) return [received, { step: 'verified', outcome: 'failed', at, detail: refusal }];
  return [
    received,
    { step: 'verified', outcome: 'done', at, detail: 'The signature matches the received bytes.' },
    {
      step: 'queued',
      outcome: unqueuedReasons[reason] === 'refused' ? 'failed' : 'skipped',
      at,
      detail: notQueued[reason] ?? null,
    },
  ];
}

import type { Delivery } from '#contract/deliveries/deliveries.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import { isReplayId } from '#server/queue/messages/message.ts';
import { openDelivery, type OpenedDelivery } from './open-delivery.ts';
import { listOutcomes } from './outcomes/outcome-store.ts';
import { listDeaths, type StoredDelivery } from './store.ts';
import { statusOf, type DeliveryStatus } from './delivery-steps.ts';

export interface DeliveriesDeps {
  db: Database;
  sealer: Sealer;
}

/** A message with its opened content and its status. */
export interface LoadedDelivery {
  stored: StoredDelivery;
  opened: OpenedDelivery;
  status: DeliveryStatus;
}

/** Messages that are read and opened at once. Each may have 1 MiB. */
export const deliveriesPerQuery = 25;

/** Adds the opened content, the outcome and the dead-letter state to messages. */
export async function loadDeliveries(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  rows: readonly StoredDelivery[],
): Promise<LoadedDelivery[]> {
  const dead = rows.filter(({ isDead }) => isDead);
  const [outcomes, deaths] = await Promise.all([
    listOutcomes(
      tx,
      integrationId,
      rows.map(({ seq }) => seq),
    ),
    listDeaths(
      tx,
      dead.map(({ seq }) => seq),
    ),
  ]);
  const known: LoadedDelivery[] = [];
  for (const stored of rows)
    known.push({
      stored,
      opened: await openDelivery(sealer, integrationId, stored),
      status: statusOf(stored, outcomes.get(stored.seq), deaths.get(stored.seq)),
    });
  return known;
}

export function deliveryItem({ stored, opened, status }: LoadedDelivery): Delivery {
  const queuedAt = stored.acceptedAt.toISOString();
  return {
    deliveryId: stored.seq,
    forgeDeliveryId: stored.deduplicationId,
    event: opened.event,
    ...opened.names,
    verdict: status.verdict,
    reason: status.reason,
    receivedAt: opened.receivedAt ?? queuedAt,
    queuedAt,
    replayed: isReplay(stored),
    address: null,
  };
}

export function isReplay({ deduplicationId }: StoredDelivery): boolean {
  return isReplayId(deduplicationId);
}

import { setImmediate } from 'node:timers/promises';
import type { Delivery } from '#contract/deliveries/deliveries.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Sealer } from '#platform/runtime/secrets/sealing.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { isReplayId } from '#server/queue/messages/message.ts';
import { openSegment } from '#server/queue/messages/segment.ts';
import { openDelivery, type OpenedDelivery } from './payload/open-delivery.ts';
import { listOutcomes } from './outcomes/outcome-store.ts';
import { listDeaths, readSegments, type StoredDelivery } from './store.ts';
import { statusOf, type DeliveryStatus } from './steps/delivery-steps.ts';

export type DeliveriesDeps = Pick<SharedDeps, 'db' | 'sealer'>;

export interface LoadedDelivery {
  stored: StoredDelivery;
  opened: OpenedDelivery;
  status: DeliveryStatus;
}

/** Messages that are read and opened at once. Each may be in another segment of 1 MiB. */
export const deliveriesPerQuery = 25;

/** Adds the opened content, the outcome and the dead-letter state to messages. */
export async function loadDeliveries(
  tx: Tx,
  sealer: Sealer,
  integrationId: string,
  rows: readonly StoredDelivery[],
): Promise<LoadedDelivery[]> {
  const dead = rows.filter(({ isDead }) => isDead);
  const seqs = rows.map(({ seq }) => seq);
  const [outcomes, segments, deaths] = await Promise.all([
    listOutcomes(tx, integrationId, seqs),
    readSegments(tx, seqs),
    listDeaths(
      tx,
      dead.map(({ seq }) => seq),
    ),
  ]);
  const bySegment = Map.groupBy(rows, ({ segmentId }) => segmentId);
  const known = new Map<string, LoadedDelivery>();
  // One segment at a time, to limit memory.
  for (const { id, sealed } of segments) {
    // Opening a segment takes up to a few milliseconds.
    await setImmediate();
    const segment = open(sealer, sealed);
    for (const stored of bySegment.get(id) ?? [])
      known.set(stored.seq, {
        stored,
        opened: openDelivery(segment, integrationId, stored),
        status: statusOf(stored, outcomes.get(stored.seq), deaths.get(stored.seq)),
      });
  }
  return seqs.flatMap((seq) => known.get(seq) ?? []);
}

function open(sealer: Sealer, sealed: Buffer): Buffer | undefined {
  try {
    return openSegment(sealer, sealed);
  } catch {
    return undefined;
  }
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

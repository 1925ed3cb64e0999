import type { Readable } from 'node:stream';
import type { DeliveryDetail } from '#contract/deliveries/deliveries.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { readEvaluation } from '#server/alerts/evaluation/read-evaluation.ts';
import { findDelivery, findQueuedDelivery } from './find-delivery.ts';
import {
  deliveryItem,
  isReplay,
  loadDeliveries,
  type DeliveriesDeps,
  type LoadedDelivery,
} from './load-deliveries.ts';
import { readPayload } from './payload/read-payload.ts';
import { readStoredDeliveries } from './store.ts';
import { stepsOfUnqueued, unqueuedItem } from './unqueued/describe-unqueued.ts';
import type { UnqueuedRow } from './unqueued/unqueued-store.ts';
import { stepsOf, type DeliveryStatus } from './steps/delivery-steps.ts';

const shownBytes = 256 * 1024;

/** Finds the delivery by its Forgewatch id or its forge id. @throws AppError `not_found`. */
export async function readDelivery(
  deps: DeliveriesDeps,
  integrationId: string,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const found = await findDelivery(deps, integrationId, deliveryId);
  return 'known' in found ? queuedDetail(deps, integrationId, found.known) : unqueuedDetail(found.unqueued);
}

async function queuedDetail(
  deps: DeliveriesDeps,
  integrationId: string,
  delivery: LoadedDelivery,
): Promise<DeliveryDetail> {
  const { stored, opened, status } = delivery;
  const { successor } = status.death ?? {};
  const evaluation = await deps.db.withScope({ integrationId }, (tx) =>
    readEvaluation(tx, integrationId, stored.seq),
  );
  const later = successor ? await readStatus(deps, integrationId, successor) : undefined;
  return {
    ...deliveryItem(delivery),
    steps: stepsOf(status, later, opened.receivedAt, stored.acceptedAt, isReplay(stored), evaluation),
    headers: Object.entries(opened.headers).map(([name, value]) => ({ name, value })),
    ...(await previewOf(await readPayload(deps, integrationId, opened))),
  };
}

function unqueuedDetail(row: UnqueuedRow): DeliveryDetail {
  return { ...unqueuedItem(row), steps: stepsOfUnqueued(row), headers: [], ...noBody };
}

const noBody = { size: null, body: null, truncated: false };

/** The part of a payload that the page shows, and the size of the payload. */
async function previewOf(
  payload: Readable | undefined,
): Promise<Pick<DeliveryDetail, 'size' | 'body' | 'truncated'>> {
  if (payload === undefined) return noBody;
  const shown: Buffer[] = [];
  let size = 0;
  for await (const part of payload as AsyncIterable<Buffer>) {
    if (size < shownBytes) shown.push(part.subarray(0, shownBytes - size));
    size += part.length;
  }
  const truncated = size > shownBytes;
  // `stream` drops a character that is incomplete at the end.
  return { size, body: new TextDecoder().decode(Buffer.concat(shown), { stream: truncated }), truncated };
}

async function readStatus(
  { db, sealer }: DeliveriesDeps,
  integrationId: string,
  seq: string,
): Promise<DeliveryStatus | undefined> {
  const [known] = await db.withScope({ integrationId }, async (tx) =>
    loadDeliveries(tx, sealer, integrationId, await readStoredDeliveries(tx, [seq])),
  );
  return known?.status;
}

/** Streams the payload as received. @throws AppError `not_found`, also when the payload was deleted. */
export async function downloadBody(
  deps: DeliveriesDeps,
  integrationId: string,
  deliveryId: string,
): Promise<Readable> {
  const { opened } = await findQueuedDelivery(deps, integrationId, deliveryId);
  const payload = await readPayload(deps, integrationId, opened);
  if (payload !== undefined) return payload;
  throw new AppError('not_found', { detail: 'The body was deleted or cannot be decrypted.' });
}

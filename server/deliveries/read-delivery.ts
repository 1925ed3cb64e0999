import type { DeliveryDetail } from '#contract/deliveries.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { decodeLargeBody } from '#server/queue/body-coding.ts';
import { indentJson } from './indent-json.ts';
import {
  deliveryItem,
  isDeliveryId,
  isReplay,
  knowDeliveries,
  type DeliveriesDeps,
  type KnownDelivery,
} from './list-deliveries.ts';
import { readStoredDeliveries, readStoredPayload } from './store.ts';
import { stepsOf } from './verdict.ts';

const longestBody = 2 * 1024 * 1024;

/** @throws AppError `not_found` when the integration has no such delivery, or it is no longer kept. */
export async function readDelivery(
  deps: DeliveriesDeps,
  integrationId: string,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const delivery = await findDelivery(deps, integrationId, deliveryId);
  const { stored, opened, fate } = delivery;
  const { successor } = fate.death ?? {};
  const later = successor ? await lookUp(deps, integrationId, successor) : undefined;
  const payload = await payloadOf(deps, integrationId, delivery);
  const text = payload === undefined ? null : JSON.stringify(payload);
  const body = text === null ? null : indentJson(text, longestBody);
  return {
    ...deliveryItem(delivery),
    steps: stepsOf(fate, later?.fate, opened.receivedAt, stored.acceptedAt, isReplay(stored)),
    headers: Object.entries(opened.headers).map(([name, value]) => ({ name, value })),
    size: text === null ? null : Buffer.byteLength(text),
    body: body?.slice(0, longestBody) ?? null,
    truncated: body !== null && body.length > longestBody,
  };
}

/** @throws AppError `not_found`. */
export async function findDelivery(
  deps: DeliveriesDeps,
  integrationId: string,
  deliveryId: string,
): Promise<KnownDelivery> {
  const delivery = await lookUp(deps, integrationId, deliveryId);
  if (delivery === undefined)
    throw new AppError('not_found', { detail: 'There is no such delivery, or it is no longer kept.' });
  return delivery;
}

async function lookUp(
  { db, sealer }: DeliveriesDeps,
  integrationId: string,
  deliveryId: string,
): Promise<KnownDelivery | undefined> {
  const [delivery] = await db.withScope({ integrationId }, async (tx) => {
    const rows = isDeliveryId(deliveryId) ? await readStoredDeliveries(tx, [deliveryId]) : [];
    return knowDeliveries(tx, sealer, integrationId, rows);
  });
  return delivery;
}

/** Undefined when it does not open, or lay apart and is no longer kept. */
export async function payloadOf(
  { db, sealer }: DeliveriesDeps,
  integrationId: string,
  { opened: { payload, payloadRef } }: KnownDelivery,
): Promise<unknown> {
  if (payloadRef === undefined) return payload;
  const sealed = await db.withScope({ integrationId }, (tx) => readStoredPayload(tx, payloadRef));
  return sealed && JSON.parse((await decodeLargeBody(sealer, integrationId, sealed)).toString('utf8'));
}

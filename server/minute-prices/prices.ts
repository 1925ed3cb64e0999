import {
  mostPrices,
  partsOfCurrency,
  type MinutePrice,
  type MinutePriceBody,
} from '#contract/metrics/minute-prices.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { withRole, type Actor } from '#server/members/locks/lock-member-role.ts';
import { countStreamChange } from '#server/realtime/outbox/read-position.ts';
import { deletePrice, listPrices, listSetPrices, lockPrices, savePrice } from './store.ts';

export type PriceDeps = Pick<SharedDeps, 'db'>;

/** Newest first. */
export const readPrices = listPrices;

/** By labels, newest first, with who set them. */
export async function readSetPrices(tx: Tx, integrationId: string): Promise<MinutePrice[]> {
  return (await listSetPrices(tx, integrationId)).map(({ setAt, setBy, name, ...price }) => ({
    ...price,
    setAt: setAt.toISOString(),
    setBy: setBy === null ? null : { userId: setBy, name },
  }));
}

/**
 * Sets what a minute costs from a day on, in place of the price of the same labels and day.
 * @throws AppError `invalid_request` for too many decimals; `conflict` when there are too many prices
 */
export function setPrice({ db }: PriceDeps, actor: Actor, body: MinutePriceBody): Promise<MinutePrice> {
  const { integrationId, actorId } = actor;
  const parts = body.pricePerMinute * partsOfCurrency;
  // A decimal fraction is not exact in binary.
  if (Math.abs(parts - Math.round(parts)) > 1e-3)
    throw invalidField('pricePerMinute', 'must have at most six decimals');
  return withRole(db, actor, 'admin', async (tx) => {
    await lockPrices(tx, integrationId);
    await savePrice(tx, integrationId, body, actorId);
    const prices = await readSetPrices(tx, integrationId);
    if (prices.length > mostPrices)
      throw new AppError('conflict', {
        detail: `The limit of ${mostPrices} prices is reached. Remove one first.`,
      });
    await noteChange(tx, actor, body, `A minute of ${body.runner} costs ${priceText(body)}`);
    return prices.find(({ runner, validFrom }) => runner === body.runner && validFrom === body.validFrom)!;
  });
}

/** Its minutes have the price before it, if there is one. @throws AppError `not_found` */
export async function removePrice({ db }: PriceDeps, actor: Actor, priceId: string): Promise<void> {
  await withRole(db, actor, 'admin', async (tx) => {
    const removed = await deletePrice(tx, actor.integrationId, priceId);
    if (removed === undefined) throw new AppError('not_found', { detail: 'The price does not exist.' });
    await noteChange(
      tx,
      actor,
      removed,
      `The price of ${removed.runner}, ${priceText(removed)}, was removed`,
    );
  });
}

async function noteChange(tx: Tx, actor: Actor, price: MinutePriceBody, title: string): Promise<void> {
  await addLogEntry(tx, { ...actor, type: 'integration.price_changed', title, details: { ...price } });
  // Answers with costs are cached until something changes.
  await countStreamChange(tx, actor.integrationId);
}

const priceText = ({ pricePerMinute, currency, validFrom }: MinutePriceBody): string =>
  `${pricePerMinute} ${currency} from ${validFrom} on`;

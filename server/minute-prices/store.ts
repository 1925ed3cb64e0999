import { partsOfCurrency, type MinutePriceBody } from '#contract/metrics/minute-prices.ts';
import type { Tx } from '#platform/database/database.ts';

export interface PriceRow extends MinutePriceBody {
  priceId: string;
  setAt: Date;
  setBy: string | null;
  name: string | null;
}

const price = `runner, to_char(valid_from, 'YYYY-MM-DD') as "validFrom", price_parts::float8 / ${partsOfCurrency} as "pricePerMinute", currency`;

/** Newest first. */
export function listPrices(tx: Tx, integrationId: string): Promise<MinutePriceBody[]> {
  return tx.rows<MinutePriceBody>({
    name: 'list-minute-prices',
    text: `select ${price} from minute_prices where integration_id = $1 order by valid_from desc`,
    values: [integrationId],
  });
}

/** With who set them: by labels, newest first. */
export function listSetPrices(tx: Tx, integrationId: string): Promise<PriceRow[]> {
  return tx.rows<PriceRow>({
    name: 'list-set-minute-prices',
    text: `select price_id as "priceId", ${price}, set_at as "setAt", set_by as "setBy", coalesce(u.name, u.forge_login) as name
           from minute_prices p left join users u on u.user_id = p.set_by
           where integration_id = $1 order by runner, valid_from desc`,
    values: [integrationId],
  });
}

/** Replaces the price of the same labels and day. */
export async function savePrice(
  tx: Tx,
  integrationId: string,
  { runner, validFrom, pricePerMinute, currency }: MinutePriceBody,
  setBy: string,
): Promise<void> {
  await tx.query(
    `insert into minute_prices (integration_id, runner, valid_from, price_parts, currency, set_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (integration_id, runner, valid_from) do update
       set price_parts = excluded.price_parts, currency = excluded.currency, set_by = excluded.set_by, set_at = now()`,
    [integrationId, runner, validFrom, Math.round(pricePerMinute * partsOfCurrency), currency, setBy],
  );
}

/** Undefined if the integration has no such price. */
export function deletePrice(
  tx: Tx,
  integrationId: string,
  priceId: string,
): Promise<MinutePriceBody | undefined> {
  return tx.row<MinutePriceBody>(
    `delete from minute_prices where integration_id = $1 and price_id = $2 returning ${price}`,
    [integrationId, priceId],
  );
}

/** Serializes changes of the prices of one integration, so that it has at most so many. */
export async function lockPrices(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('minute prices ' || $1, 0))`, [
    integrationId,
  ]);
}

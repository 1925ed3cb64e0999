import { Type, type Static } from 'typebox';
import { nullable, pageOf, strictObject, Time, Uuid } from '../base/schema.ts';
import { longestGroupName } from './metrics.ts';

/** Of one integration. */
export const mostPrices = 200;

/** Prices are whole numbers of this part of the currency, so that sums are exact. */
export const partsOfCurrency = 1_000_000;

const price = {
  /** The labels of the runner, as in metrics: `ubuntu-latest`, or `linux, self-hosted`. */
  runner: Type.String({ minLength: 1, maxLength: longestGroupName }),
  /** The first day of UTC on which the price holds, until the next price of these labels. */
  validFrom: Type.String({ format: 'date', pattern: '^(19[7-9]|[2-8][0-9]{2})[0-9]-' }),
  /** Of a billable minute, with at most six decimals. 0 is a price, too. */
  pricePerMinute: Type.Number({ minimum: 0, maximum: 100 }),
  /** An ISO 4217 code, for example `EUR`. */
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
};

export const MinutePriceBody = strictObject(price);
export type MinutePriceBody = Static<typeof MinutePriceBody>;

/** What a minute of a runner costs from a day on. */
export const MinutePrice = Type.Object({
  priceId: Uuid,
  ...price,
  setAt: Time,
  /** Null when the person is gone. */
  setBy: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
});
export type MinutePrice = Static<typeof MinutePrice>;

export const MinutePricePage = pageOf(MinutePrice);

/** What minutes cost in one currency. */
export const Cost = Type.Object({
  currency: Type.String(),
  amount: Type.Number(),
  /** Billable minutes that have a price in this currency. */
  minutes: Type.Integer(),
});
export type Cost = Static<typeof Cost>;

import { MinutePrice, MinutePriceBody, MinutePricePage } from '#contract/metrics/minute-prices.ts';
import { route, type Route } from '#server/route.ts';
import { readSetPrices, removePrice, setPrice, type PriceDeps } from './prices.ts';

const base = '/api/integrations/:integrationId/minute-prices';

export function minutePriceRoutes(deps: PriceDeps): Route[] {
  return [
    route('GET', base, {
      access: { role: 'viewer' },
      summary: 'List what a minute of each runner costs and since when, by labels',
      answer: { schema: MinutePricePage },
      handle: async ({ params: { integrationId } }) => ({
        items: await deps.db.withScope({ integrationId }, (tx) => readSetPrices(tx, integrationId)),
        nextCursor: null,
      }),
    }),
    route('PUT', base, {
      access: { role: 'admin' },
      summary: 'Set what a minute of a runner costs from a day on',
      body: MinutePriceBody,
      errors: ['conflict'],
      answer: { schema: MinutePrice },
      handle: ({ actor, body }) => setPrice(deps, actor, body),
    }),
    route('DELETE', `${base}/:priceId`, {
      access: { role: 'admin' },
      summary: 'Remove a price: its minutes have the price before it, if there is one',
      answer: { status: 204 },
      handle: ({ actor, params: { priceId } }) => removePrice(deps, actor, priceId),
    }),
  ];
}

import { partsOfCurrency, type Cost, type MinutePriceBody } from '#contract/metrics/minute-prices.ts';
import type { Sums } from '#server/rollups/dashboards/aggregate-store.ts';
import type { TimeSpan } from '#server/rollups/time-span.ts';

type Minutes = Pick<Sums, 'billableMinutes' | 'runner'>;

const startOf = ({ validFrom }: MinutePriceBody): number => Date.parse(`${validFrom}T00:00:00Z`);

/**
 * What the minutes of a span cost, by labels. Labels without a price are left out. Minutes are priced by the day of UTC on which their
 * job completed, so the span is cut where a price of its labels begins.
 */
export async function readCosts(
  span: TimeSpan,
  labels: readonly Minutes[],
  prices: readonly MinutePriceBody[],
  sumIn: (part: TimeSpan) => Promise<readonly Minutes[]>,
): Promise<Map<string, Cost[]>> {
  const names = new Set(labels.map(({ runner }) => runner));
  const used = prices.filter(({ runner }) => names.has(runner)).sort((a, b) => startOf(b) - startOf(a));
  const cuts = used.map(startOf).filter((at) => at > span.from && at < span.to);
  const starts = [...new Set([span.from, ...cuts])].sort((a, b) => a - b);
  const costs = new Map<string, Cost[]>();
  if (used.length === 0) return costs;
  const parts = await Promise.all(
    starts.map((from, place) =>
      cuts.length === 0
        ? labels
        : sumIn({ from, to: starts[place + 1] ?? span.to, granularity: 'hour', timeZone: 'UTC' }),
    ),
  );
  for (const [place, from] of starts.entries())
    for (const { runner = '', billableMinutes } of parts[place] ?? []) {
      const price = used.find((each) => each.runner === runner && startOf(each) <= from);
      if (price === undefined || billableMinutes === 0) continue;
      const { currency, pricePerMinute } = price;
      const amount = (billableMinutes * Math.round(pricePerMinute * partsOfCurrency)) / partsOfCurrency;
      costs.set(
        runner,
        addUp([...(costs.get(runner) ?? []), { currency, amount, minutes: billableMinutes }]),
      );
    }
  return costs;
}

/** By currency. */
export function addUp(costs: readonly Cost[]): Cost[] {
  const sums = new Map<string, Cost>();
  for (const { currency, amount, minutes } of costs) {
    const sum = sums.get(currency) ?? { currency, amount: 0, minutes: 0 };
    const parts = Math.round(sum.amount * partsOfCurrency) + Math.round(amount * partsOfCurrency);
    sums.set(currency, { currency, amount: parts / partsOfCurrency, minutes: sum.minutes + minutes });
  }
  return [...sums.values()].sort((a, b) => a.currency.localeCompare(b.currency, 'en'));
}

import { partsOfCurrency, type Cost, type MinutePriceBody } from '#contract/metrics/minute-prices.ts';
import { showTime } from '#platform/runtime/times.ts';
import type { Sums } from '#server/rollups/dashboards/aggregate-store.ts';
import type { TimeSpan } from '#server/rollups/time-span.ts';

type Minutes = Pick<Sums, 'billableMinutes' | 'runner'>;

/** Minutes of jobs with these labels that completed on this day of UTC. */
interface DayMinutes {
  runner: string;
  day: string;
  minutes: number;
}

const startOf = ({ validFrom }: MinutePriceBody): number => Date.parse(`${validFrom}T00:00:00Z`);

/** By currency. Minutes without a price are left out. Prices are newest first. */
export function costsOf(minutes: readonly DayMinutes[], prices: readonly MinutePriceBody[]): Cost[] {
  return addUp(
    minutes.flatMap(({ runner, day, minutes: counted }) => {
      const price = prices.find((each) => each.runner === runner && each.validFrom <= day);
      if (price === undefined || counted === 0) return [];
      const { currency, pricePerMinute } = price;
      const amount = (counted * Math.round(pricePerMinute * partsOfCurrency)) / partsOfCurrency;
      return [{ currency, amount, minutes: counted }];
    }),
  );
}

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
  const used = prices.filter(({ runner }) => names.has(runner));
  if (used.length === 0) return new Map();
  const cuts = used.map(startOf).filter((at) => at > span.from && at < span.to);
  const starts = [...new Set([span.from, ...cuts])].sort((a, b) => a - b);
  const parts = await Promise.all(
    starts.map((from, place) =>
      cuts.length === 0
        ? labels
        : sumIn({ from, to: starts[place + 1] ?? span.to, granularity: 'hour', timeZone: 'UTC' }),
    ),
  );
  const byLabels = Map.groupBy(
    starts.flatMap((from, place) =>
      (parts[place] ?? []).map(({ runner = '', billableMinutes }) => ({
        runner,
        day: showTime(from).slice(0, 10),
        minutes: billableMinutes,
      })),
    ),
    ({ runner }) => runner,
  );
  return new Map([...byLabels].map(([runner, minutes]) => [runner, costsOf(minutes, used)]));
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

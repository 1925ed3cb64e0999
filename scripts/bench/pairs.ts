import type { Bench, Result } from './types.ts';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The quantile of the values; NaN without values. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median with its spread, as in the table: `0.52 (0.47 to 0.58)`. */
export function spread(values: readonly number[], digits = 2): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

export interface Pair<T> {
  product: T;
  /** The upper bound, or the peer. */
  other: T;
}

/** Measures two things in turn (A B A B …), so that a change of the machine's speed affects both. */
export async function inTurn<T>(
  bench: Bench,
  pairs: number,
  product: () => Promise<T>,
  other: () => Promise<T>,
): Promise<Pair<T>[]> {
  const measured: Pair<T>[] = [];
  for (let index = 1; index <= pairs; index += 1) {
    const pair = { product: await product(), other: await other() };
    bench.say(`  ${index}/${pairs} ${brief(pair.product)} : ${brief(pair.other)}`);
    measured.push(pair);
  }
  return measured;
}

function brief(value: unknown): string {
  const shown = (_key: string, part: unknown): unknown =>
    typeof part === 'number' ? Number(part.toPrecision(4)) : part;
  return JSON.stringify(value, shown);
}

/** A budget is a lower or upper limit of the median ratio. */
export type Limit = { atLeast: number } | { atMost: number };

/** Compares the median ratio of the pairs with the limit, if there is one. `note` is shown next to it in the table. */
export function ratioResult(
  { id, what }: { id: string; what: string },
  pairs: readonly Pair<number>[],
  limit: Limit | undefined,
  { note, ...figures }: { note: string } & Record<string, number | string>,
): Result {
  const ratios = pairs.map(({ product, other }) => product / other);
  const ratio = median(ratios);
  return {
    id,
    what,
    measured: `${spread(ratios)}; ${note}`,
    ...comparedWith(limit, ratio),
    figures: {
      ratio,
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
      pairs: pairs.length,
      product: median(pairs.map(({ product }) => product)),
      other: median(pairs.map(({ other }) => other)),
      ...(figures as Record<string, number>),
    },
  };
}

function comparedWith(limit: Limit | undefined, ratio: number): Pick<Result, 'budget' | 'met'> {
  if (limit === undefined) return { budget: '-', met: true };
  return 'atLeast' in limit
    ? { budget: `≥ ${limit.atLeast.toFixed(2)}`, met: ratio >= limit.atLeast }
    : { budget: `≤ ${limit.atMost.toFixed(2)}`, met: ratio <= limit.atMost };
}

/** Takes one number of each side of the pairs. */
export function pick<T>(pairs: readonly Pair<T>[], number: (side: T) => number): Pair<number>[] {
  return pairs.map(({ product, other }) => ({ product: number(product), other: number(other) }));
}

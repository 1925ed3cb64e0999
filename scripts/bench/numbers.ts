export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value at a share of the sorted values; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median with its spread, as in the table: `0.52 (0.47 to 0.58)`. */
export function spread(values: readonly number[], digits = 2): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

export interface Pair<T> {
  a: T;
  b: T;
}

/** Measures two things in turn, A B A B …, so that a machine that gets slower is slower for both. */
export async function inTurn<T>(pairs: number, a: () => Promise<T>, b: () => Promise<T>): Promise<Pair<T>[]> {
  const measured: Pair<T>[] = [];
  for (let index = 0; index < pairs; index += 1) measured.push({ a: await a(), b: await b() });
  return measured;
}

/** Medians' spread of the ratios pair by pair. */
export function ratios(pairs: readonly Pair<number>[]): number[] {
  return pairs.map(({ a, b }) => a / b);
}

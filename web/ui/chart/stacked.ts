/** Cumulative sums of series of one length, from the last series to the first, which is the tallest. */
export function stacked(series: readonly { values: readonly (number | null)[] }[]): number[][] {
  return series.map(({ values }, index) =>
    values.map((_, at) => series.slice(index).reduce((sum, each) => sum + (each.values[at] ?? 0), 0)),
  );
}

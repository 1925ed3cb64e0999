/** Upper bounds of the histograms in seconds, inclusive. The last bucket has no bound. Stored counters depend on them. */
export const bucketBounds = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600] as const;

export const bucketCount = bucketBounds.length + 1;

export function bucketAt(ms: number): number {
  const index = bucketBounds.findIndex((bound) => ms <= bound * 1000);
  return index === -1 ? bucketBounds.length : index;
}

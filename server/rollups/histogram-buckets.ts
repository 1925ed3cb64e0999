/**
 * Histogram buckets on a logarithmic scale. Bucket `i >= 1` holds [g^(i-1), g^i) milliseconds with g = 1.04 and stands for its
 * geometric middle g^(i-1/2). The relative error is at most sqrt(1.04) - 1 = 1.98 %. Bucket 0 holds less than a millisecond and
 * stands for 0. 35 days, the longest run that GitHub allows, fall into bucket 557.
 */
const growth = 1.04;
const logGrowth = Math.log(growth);

export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.floor(Math.log(ms) / logGrowth) + 1;
}

/** The value that a bucket stands for, in milliseconds. */
export function bucketMiddleMs(bucket: number): number {
  return bucket === 0 ? 0 : growth ** (bucket - 0.5);
}

import { bucketMiddleMs } from './histogram-buckets.ts';

/** Number of values by bucket. A missing bucket holds 0. */
export type Counts = number[];

const [zero, nine, colon, comma, semicolon, brace] = ['0', '9', ':', ',', ';', '}'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number];

/**
 * Adds up histograms that are separated by semicolons. Rollup buckets store `first bucket:count,count,…`; hourly rows are
 * Postgres arrays, `[first:last]={count,count,…}` or `{count,…}` from bucket 1. Reads character by character, because a
 * grouped quarter has thousands of histograms and splitting the text is ten times slower.
 */
export function readCounts(text: string | null = null): Counts {
  const counts: Counts = [];
  if (text === null) return counts;
  let [bucket, number] = [1, 0];
  for (let index = 0; index <= text.length; index += 1) {
    const code = index === text.length ? semicolon : text.charCodeAt(index);
    if (code >= zero && code <= nine) {
      number = number * 10 + code - zero;
      continue;
    }
    if (code === colon) bucket = number;
    else if (code === comma || code === semicolon || code === brace) {
      if (number > 0) counts[bucket] = (counts[bucket] ?? 0) + number;
      bucket = code === comma ? bucket + 1 : 1;
    }
    number = 0;
  }
  return counts;
}

/** Writes the text form of rollup buckets: one part for each sequence of buckets in use. Null when all are empty. */
export function writeCounts(counts: Counts): string | null {
  const parts: string[] = [];
  counts.forEach((count, bucket) => {
    if (count === 0) return;
    if ((counts[bucket - 1] ?? 0) > 0) parts.push(`,${count}`);
    else parts.push(`;${bucket}:${count}`);
  });
  return parts.length === 0 ? null : parts.join('').slice(1);
}

export function addCounts(all: readonly Counts[]): Counts {
  const sum: Counts = [];
  for (const counts of all)
    counts.forEach((count, bucket) => {
      sum[bucket] = (sum[bucket] ?? 0) + count;
    });
  return sum;
}

/** The quantile in milliseconds, within 5 %. Null when nothing was measured. */
export function quantileMs(counts: Counts, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.ceil(total * share);
  let below = 0;
  const bucket = counts.findIndex((count = 0) => (below += count) >= wanted);
  return Math.round(bucketMiddleMs(bucket));
}

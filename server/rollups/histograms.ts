import { bucketMiddleMs } from './histogram-buckets.ts';

/** How many fell into each bucket, by bucket; what is missing is 0. */
export type Counts = number[];

const [zero, nine, colon, comma, semicolon, brace] = ['0', '9', ':', ',', ';', '}'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number];

/**
 * Adds up histograms that are joined by semicolons: buckets' as `first bucket:count,count,…`, hours' as Postgres writes an
 * array of counts, `[first:last]={count,count,…}` or from 1 on `{count,…}`. By character: a quarter of grouped numbers has
 * some thousand histograms, and splitting them would cost ten times as much.
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

/** In the form of buckets, a part for each row of buckets in use; null when there are none. */
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

/** The value below which a share of all lies, in milliseconds and within 5 %; null when nothing was measured. */
export function quantileMs(counts: Counts, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.ceil(total * share);
  let below = 0;
  const bucket = counts.findIndex((count = 0) => (below += count) >= wanted);
  return Math.round(bucketMiddleMs(bucket));
}

import { bucketMiddleMs } from './buckets.ts';

/** How many fell into each bucket, by bucket; what is missing is 0. */
export type Counts = number[];

const [semicolon, colon, zero] = [';', ':', '0'].map((sign) => sign.charCodeAt(0)) as [
  number,
  number,
  number,
];

/**
 * Adds up histograms that are written as `first bucket:count,count,…` and joined by semicolons. By character: a quarter of
 * grouped numbers has some thousand histograms, and splitting them would cost ten times as much.
 */
export function readCounts(text: string | null = null): Counts {
  const counts: Counts = [];
  if (text === null) return counts;
  let [bucket, number] = [0, 0];
  for (let index = 0; index <= text.length; index += 1) {
    const code = index === text.length ? semicolon : text.charCodeAt(index);
    if (code >= zero && code < colon) {
      number = number * 10 + code - zero;
      continue;
    }
    if (code === colon) bucket = number;
    else {
      if (number > 0) counts[bucket] = (counts[bucket] ?? 0) + number;
      bucket += 1;
    }
    number = 0;
  }
  return counts;
}

/** In the same form, a part for each row of buckets in use; null when there are none. */
export function writeCounts(counts: Counts): string | null {
  const parts: string[] = [];
  counts.forEach((count, bucket) => {
    if (count === 0) return;
    if ((counts[bucket - 1] ?? 0) > 0) parts.push(`,${count}`);
    else parts.push(`;${bucket}:${count}`);
  });
  return parts.length === 0 ? null : parts.join('').slice(1);
}

/** Postgres's array of counts in its binary form, which costs a quarter of its text; null when there are none. */
export function arrayBytes(column: string): string {
  return `case when ${column} <> '{}' then array_send(${column}) end`;
}

/** Adds up such arrays, one behind the other: a head with the length and the first bucket, then size and count of each. */
export function readArrays(bytes: Buffer | null = null): Counts {
  const counts: Counts = [];
  if (bytes === null) return counts;
  for (let at = 0; at < bytes.length;) {
    const [length, first] = [bytes.readInt32BE(at + 12), bytes.readInt32BE(at + 16)];
    at += 20;
    for (let bucket = first; bucket < first + length; bucket += 1) {
      const isNull = bytes.readInt32BE(at) < 0;
      at += 4;
      if (isNull) continue;
      counts[bucket] = (counts[bucket] ?? 0) + bytes.readInt32BE(at);
      at += 4;
    }
  }
  return counts;
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

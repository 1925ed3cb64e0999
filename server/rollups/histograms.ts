import { bucketMiddleMs } from './histogram-buckets.ts';

/** Number of values by bucket. A missing bucket holds 0. */
export type Counts = number[];

const [zero, nine, minus, colon, comma, semicolon, brace] = ['0', '9', '-', ':', ',', ';', '}'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number];

/** Takes a few milliseconds to read. */
const pieceLength = 256 * 1024;

/**
 * Adds up histograms that are separated by semicolons: Postgres arrays, `[first:last]={count,count,…}` or `{count,…}` from
 * bucket 1. Reads character by character, because a grouped quarter has thousands of histograms and splitting the text is ten
 * times slower.
 */
export function readCounts(text: string | null = null): Counts {
  const counts: Counts = [];
  if (text !== null) addPiece(counts, text, 0, text.length);
  return counts;
}

/** The same for texts of any length, in several turns of the event loop. */
export async function readLongCounts(
  text: string | null | undefined,
  takeBreak: () => Promise<void>,
): Promise<Counts> {
  const counts: Counts = [];
  for (let start = 0; start < (text?.length ?? 0);) {
    const found = text!.indexOf(';', start + pieceLength);
    const end = found === -1 ? text!.length : found;
    addPiece(counts, text!, start, end);
    start = end + 1;
    await takeBreak();
  }
  return counts;
}

function addPiece(counts: Counts, text: string, start: number, end: number): void {
  let [bucket, number, sign] = [1, 0, 1];
  for (let index = start; index <= end; index += 1) {
    const code = index === end ? semicolon : text.charCodeAt(index);
    if (code >= zero && code <= nine) {
      number = number * 10 + code - zero;
      continue;
    }
    if (code === minus) sign = -1;
    else {
      if (code === colon) bucket = number;
      else if (code === comma || code === semicolon || code === brace) {
        if (number > 0) counts[bucket] = (counts[bucket] ?? 0) + sign * number;
        bucket = code === comma ? bucket + 1 : 1;
      }
      sign = 1;
    }
    number = 0;
  }
}

export function addCounts(all: readonly Counts[]): Counts {
  const sum: Counts = [];
  for (const counts of all)
    counts.forEach((count, bucket) => {
      sum[bucket] = (sum[bucket] ?? 0) + count;
    });
  return sum;
}

/** The quantile in milliseconds, within 2 %. Null when nothing was measured. */
export function quantileMs(counts: Counts, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  // Weighted counts are no integers, so their sums may differ by rounding.
  const wanted = total * share * (1 - 1e-12);
  let below = 0;
  const bucket = counts.findIndex((count = 0) => count > 0 && (below += count) >= wanted);
  return Math.round(bucketMiddleMs(bucket));
}

/** Bounds of the delay before the next attempt. */
export interface BackOff {
  /** No delay is shorter. 0 by default. */
  leastMs?: number;
  /** The longest delay after the first failure. It doubles with each further failure. */
  firstMs: number;
  longestMs: number;
}

/**
 * Full jitter: a random delay below a bound that doubles with each failure, so that many clients do not try again at the
 * same time. `failures` counts the failed attempts before the last one.
 */
export function backOffMs(
  { leastMs = 0, firstMs, longestMs }: BackOff,
  failures: number,
  random: () => number = Math.random,
): number {
  const boundMs = Math.min(longestMs, firstMs * 2 ** failures);
  return Math.round(leastMs + random() * (boundMs - leastMs));
}

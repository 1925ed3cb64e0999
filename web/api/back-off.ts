const firstDelayMs = 500;
const longestDelayMs = 30_000;

/** A connection that held this long counts as good again. */
export const stableAfterMs = 30_000;

/**
 * Full jitter: a random wait between nothing and a bound that doubles with each failed attempt, so that the clients of a
 * server that came back do not return in waves.
 */
export function backOffMs(failures: number, random: () => number): number {
  return Math.round(random() * Math.min(longestDelayMs, firstDelayMs * 2 ** failures));
}

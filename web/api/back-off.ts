const firstDelayMs = 500;
const longestDelayMs = 30_000;

/** After a connection lasts this long, the back-off starts over. */
export const stableAfterMs = 30_000;

/**
 * Full jitter: a random delay below a bound that doubles with each failed attempt, so that clients do not reconnect
 * in waves after a server restart.
 */
export function backOffMs(failures: number, random: () => number): number {
  return Math.round(random() * Math.min(longestDelayMs, firstDelayMs * 2 ** failures));
}

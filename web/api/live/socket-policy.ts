/** The intervals of the live socket, with their reasons. */

export const checkEveryMs = 10_000;
/** Below common idle timeouts of proxies. Pages cannot see the server's pings. */
export const quietMs = 20_000;
export const answerWithinMs = 5_000;
export const reconnectBackOff = { firstMs: 500, longestMs: 30_000 };
/** After a connection lasts this long, the back-off starts over. */
export const stableAfterMs = 30_000;
/** A page served from the same machine works offline, so being offline only slows down the attempts. */
export const offlineRetryMs = 30_000;
/** Interval at which a page without a socket place asks for one and reloads its data. */
export const crowdedRetryMs = 30_000;
/** A page hidden for this long closes its socket to free the place. Missed updates are replayed later. */
export const leaveHiddenMs = 5 * 60_000;

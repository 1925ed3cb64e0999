import { dayMs, hourMs, minuteMs } from '#platform/runtime/time-units.ts';

/** The limits and intervals of outgoing webhooks, with their reasons. */
export const webhookPolicy = {
  sendEveryMs: 1_000,
  /** Receivers that one process sends to at once, and those of one integration, so that slow receivers delay only their own. */
  sendAtOnce: 32,
  sendAtOncePerIntegration: 10,
  /** Longer than an attempt may take. When a process dies, another one sends its webhooks after this time. */
  leaseMs: minuteMs,
  /** Webhooks that a receiver gets in a row. Then another one has its turn. */
  inARow: 25,
  /** Delays after the first failed attempts of a webhook. The last one repeats. An hour, so that an outage ends soon for the receiver. */
  backOffMs: [5_000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs],
  /** Attempts of a webhook whose content the receiver refuses. More would keep those behind it waiting. */
  refusedTries: 3,
  longestRetryAfterMs: dayMs,
  /** Failed attempts in a row before the event log has an entry. */
  reportAfterFailures: 3,
  /** A receiver whose attempts all fail for this long is disabled. */
  disableAfterMs: 3 * dayMs,
};

export type WebhookPolicy = typeof webhookPolicy;

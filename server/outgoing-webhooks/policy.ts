import { dayMs, hourMs, minuteMs } from '#platform/runtime/time-units.ts';

/** The limits and intervals of outgoing webhooks, with their reasons. */
export interface WebhookPolicy {
  sendEveryMs: number;
  /** Receivers that one process sends to at once, and those of one integration, so that slow receivers delay only their own. */
  sendAtOnce: number;
  sendAtOncePerIntegration: number;
  /** Longer than an attempt may take. When a process dies, another one sends its webhooks after this time. */
  leaseMs: number;
  /** Webhooks that a receiver gets in a row. Then another one has its turn. */
  inARow: number;
  /** Delays after the first failed attempts of a webhook. The last one repeats. An hour, so that an outage ends soon for the receiver. */
  backOffMs: readonly number[];
  /** Attempts of a webhook whose content the receiver refuses. More would keep those behind it waiting. */
  refusedTries: number;
  longestRetryAfterMs: number;
  /** Failed attempts in a row before the event log has an entry. */
  reportAfterFailures: number;
  /** A receiver whose attempts all fail for this long is disabled. */
  disableAfterMs: number;
}

export const webhookPolicy: WebhookPolicy = {
  sendEveryMs: 1_000,
  sendAtOnce: 32,
  sendAtOncePerIntegration: 10,
  leaseMs: minuteMs,
  inARow: 25,
  backOffMs: [5_000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs],
  refusedTries: 3,
  longestRetryAfterMs: dayMs,
  reportAfterFailures: 3,
  disableAfterMs: 3 * dayMs,
};

import { dayMs, hourMs, minuteMs } from '#platform/runtime/time-units.ts';

/** The limits and intervals of outgoing webhooks, with their reasons. */
export const webhookPolicy = {
  /** Receivers that one process sends to at once; see docs/architecture/tasks.md. */
  quickPlaces: 16,
  slowPlaces: 64,
  perIntegration: 10,
  /** Longer than an attempt may take. */
  longestTurnMs: minuteMs,
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

import { readRetryAfterMs } from '#platform/http/outgoing/retry-after.ts';
import type { WebhookPolicy } from '../policy.ts';

/** What an attempt ended with. */
export interface AttemptResult {
  statusCode: number | null;
  /** In words, for people; null when the receiver accepted the webhook. It contains no part of a response or a URL. */
  problem: string | null;
  /** The header `Retry-After` of the response. */
  retryAfter: string | undefined;
}

/** `refused`: the webhook is not sent again. `gone`: the receiver wants no more webhooks. */
export type NextStep = { step: 'done' | 'refused' | 'gone' } | { step: 'retry'; waitMs: number };

/** Statuses about the content of a webhook. Others, such as 401 and 404, tell that the receiver is not ready. */
const refusals: readonly (number | null)[] = [400, 405, 406, 409, 411, 413, 414, 415, 422, 431];

/** `tries` counts the attempts, including this one. */
export function planNext(
  { statusCode, problem, retryAfter }: AttemptResult,
  tries: number,
  now: number,
  policy: WebhookPolicy,
  random: () => number = Math.random,
): NextStep {
  if (problem === null) return { step: 'done' };
  if (statusCode === 410) return { step: 'gone' };
  if (refusals.includes(statusCode) && tries >= policy.refusedTries) return { step: 'refused' };
  const waitMs = delayAfter(tries, policy, random);
  const asked = statusCode === 429 || statusCode === 503 ? (readRetryAfterMs(retryAfter, now) ?? 0) : 0;
  return { step: 'retry', waitMs: Math.max(waitMs, Math.min(asked, policy.longestRetryAfterMs)) };
}

/** Up to a fifth more than the policy says, so that webhooks that failed together are not repeated together. */
export function delayAfter(
  tries: number,
  { backOffMs }: Pick<WebhookPolicy, 'backOffMs'>,
  random: () => number = Math.random,
): number {
  const usualMs = backOffMs[Math.min(tries, backOffMs.length) - 1] ?? 0;
  return Math.round(usualMs * (1 + random() / 5));
}

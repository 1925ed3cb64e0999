import { backOffMs } from '#contract/base/back-off.ts';
import { hourMs, minuteMs } from '#platform/runtime/time-units.ts';
import { RateLimited, statusOf } from '#server/forges/errors.ts';

/** GitHub asks for at least a minute after its secondary rate limit. */
const forgeBackOff = { leastMs: minuteMs, firstMs: 2 * minuteMs, longestMs: hourMs };

/** The delay after a failed call and the text to show until then. The forge's own message goes to the log only. */
export function planRetry(
  error: unknown,
  failures: number,
  /** The permission that the application needs, for example "read organization members". */
  permission: string,
): { waitMs: number; text: string } {
  const growingMs = backOffMs(forgeBackOff, failures);
  if (error instanceof RateLimited)
    return {
      waitMs: error.waitMs ?? growingMs,
      text: 'The forge’s rate limit is exceeded. The task continues automatically.',
    };
  const refusal = explainRefusal(error, permission);
  if (refusal !== undefined) return { waitMs: hourMs, text: refusal };
  return {
    waitMs: growingMs,
    text: 'The forge returned an unexpected answer. The task is retried automatically.',
  };
}

/** What to check when the forge refuses permanently; undefined for temporary failures. */
export function explainRefusal(error: unknown, permission: string): string | undefined {
  const status = statusOf(error);
  if (status !== 401 && status !== 403 && status !== 404) return undefined;
  return `The forge refused the request (${status}). Check that the forge connection exists and is allowed to ${permission}.`;
}

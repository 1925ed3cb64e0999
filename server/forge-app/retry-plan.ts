import { RateLimited, statusOf } from './forge-client.ts';

const initialRetryMs = 60_000;
const maxRetryMs = 3_600_000;

/** How long to wait after a failed call, and what to show meanwhile; the forge's own words stay in the log. */
export function planRetry(
  error: unknown,
  failures: number,
  /** What the application must be allowed to do, such as "read organization members". */
  permission: string,
): { waitMs: number; text: string } {
  const growingMs = Math.min(maxRetryMs, initialRetryMs * 2 ** Math.min(failures, 10));
  if (error instanceof RateLimited)
    return {
      waitMs: error.waitMs ?? growingMs,
      text: 'The forge’s rate limit is reached; it goes on by itself.',
    };
  const refusal = explainRefusal(error, permission);
  if (refusal !== undefined) return { waitMs: maxRetryMs, text: refusal };
  return { waitMs: growingMs, text: 'The forge did not answer as it should; it is tried again by itself.' };
}

/** What to look at where the forge refuses until somebody changes that; undefined for what passes by itself. */
export function explainRefusal(error: unknown, permission: string): string | undefined {
  const status = statusOf(error);
  if (status !== 401 && status !== 403 && status !== 404) return undefined;
  return `The forge refuses (${status}): check that the application is installed and may ${permission}.`;
}

import { GuardedFetchError, type GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { signedHeaders } from '../signing.ts';
import type { Receiver } from './find-receiver.ts';
import type { AttemptResult } from './plan-next.ts';

/** Posts a webhook once. Never rejects, and takes no longer than the guard allows. */
export async function postWebhook(
  guardedFetch: Pick<GuardedFetch, 'post'>,
  { url, secrets }: Pick<Receiver, 'url' | 'secrets'>,
  { webhookId, body, now }: { webhookId: string; body: string; now: number },
  signal: AbortSignal,
): Promise<AttemptResult & { cause?: unknown }> {
  try {
    const { status, retryAfter } = await guardedFetch.post(url, {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Forgewatch',
        ...signedHeaders(secrets, webhookId, now, body),
      },
      body,
      signal,
    });
    return { statusCode: status, problem: problemOf(status), retryAfter };
  } catch (error) {
    const problem = error instanceof GuardedFetchError ? error.message : 'The webhook could not be sent.';
    return { statusCode: null, problem, retryAfter: undefined, cause: error };
  }
}

function problemOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed: enter the final URL.' : '';
  return `The receiver answered ${status}.${redirect}`;
}

import { contact } from './contact/browser-contact.ts';
import { takeEarly } from './early/early-answers.ts';
import { session } from './session/browser-session.ts';
import { ApiError, problemOf, unreachable } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RequestOptions {
  method?: Method;
  body?: object;
  signal?: AbortSignal | undefined;
}

/** A network that drops packets gives no error, so requests need a time limit. */
const answerWithinMs = 60_000;

/** @throws ApiError; an `AbortError` when `signal` ends it. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return readJson<T>(await request(path, { signal }), signal);
}

/**
 * Sends a change. An empty response is undefined.
 * @throws ApiError
 */
export async function sendJson<T = undefined>(method: Method, path: string, body?: object): Promise<T> {
  return readJson<T>(await request(path, body === undefined ? { method } : { method, body }));
}

/** The connection may end before the body does. A body that is not JSON was not sent by the server. */
async function readJson<T>(response: Response, signal?: AbortSignal): Promise<T> {
  try {
    const text = await response.text();
    const value = (text === '' ? undefined : JSON.parse(text)) as T;
    contact.answered();
    return value;
  } catch (error) {
    throw lost(error, signal);
  }
}

/**
 * Returns a successful response. If the tokens have expired, renews them and repeats the request once. If the session
 * has ended, the app opens the sign-in page.
 * @throws ApiError; an `AbortError` when `signal` ends it.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const early = (options.method ?? 'GET') === 'GET' ? await takeEarly(path) : undefined;
  if (early) options.signal?.throwIfAborted();
  const sentAt = early?.sentAt ?? Date.now();
  let response = early?.response ?? (await send(path, options));
  if (response.status === 401) {
    const renewal = await session.renew(sentAt);
    if (renewal === 'unavailable') throw contact.isAway ? unreachable() : providerAway();
    if (renewal === 'renewed') {
      // An unread body keeps its connection busy.
      await response.text().catch(() => undefined);
      response = await send(path, options);
    }
  }
  if (response.ok) {
    if (path.startsWith('/api/')) session.works(sentAt);
    return response;
  }
  const error = await problemOf(response);
  if (error.code === 'unreachable') void contact.check();
  else contact.answered();
  if (error.status === 401) session.end();
  if (error.code === 'identity_provider_unavailable') session.waits();
  throw error;
}

async function send(path: string, { method = 'GET', body, signal }: RequestOptions): Promise<Response> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    return await fetch(path, {
      method,
      headers: { accept: 'application/json', ...type },
      signal: AbortSignal.any([AbortSignal.timeout(answerWithinMs), ...(signal ? [signal] : [])]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw lost(error, signal);
  }
}

/** The error for a request without a response. */
function lost(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  void contact.check();
  return unreachable();
}

function providerAway(): ApiError {
  return new ApiError('Your session could not be renewed. You stay signed in. Try again shortly.', {
    status: 503,
    code: 'identity_provider_unavailable',
  });
}

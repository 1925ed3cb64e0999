import { ApiError, problemOf, unreachable } from './problem.ts';
import { session } from './browser-session.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RequestOptions {
  method?: Method;
  body?: object;
  signal?: AbortSignal | undefined;
}

/** @throws ApiError; an `AbortError` when `signal` ends it. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await request(path, { signal })).json()) as T;
}

/** Sends a change. The type is that of the answer; an empty one is undefined. @throws ApiError */
export async function sendJson<T = undefined>(method: Method, path: string, body?: object): Promise<T> {
  const response = await request(path, body === undefined ? { method } : { method, body });
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/**
 * A successful answer. Where the tokens of the session ran out, they are renewed and the request is sent once more;
 * a session that is over leads to the sign-in page by itself.
 * @throws ApiError; an `AbortError` when `signal` ends it.
 */
export async function request(path: string, options: RequestOptions = {}): Promise<Response> {
  const sentAt = Date.now();
  let response = await send(path, options);
  if (response.status === 401) {
    const renewal = await session.renew(sentAt);
    if (renewal === 'unavailable') throw providerAway();
    if (renewal === 'renewed') response = await send(path, options);
  }
  if (response.ok) {
    if (path.startsWith('/api/')) session.works(sentAt);
    return response;
  }
  const error = await problemOf(response);
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
      signal: signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable();
  }
}

function providerAway(): ApiError {
  return new ApiError('Your session could not be renewed just now. You stay signed in; try again shortly.', {
    status: 503,
    code: 'identity_provider_unavailable',
  });
}

/** `?a=1&b=2` of what is set; empty when nothing is. */
export function queryString(values: Record<string, string | number | boolean | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

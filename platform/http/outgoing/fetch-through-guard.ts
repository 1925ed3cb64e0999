import { readAtMost } from './bounded-fetch.ts';
import type { GuardedAnswer, GuardedFetch, GuardedRequest } from './guarded-fetch.ts';

const maxRedirects = 3;

/**
 * `fetch` for libraries that call a server that a user entered. Reads the whole body. Follows redirects of GET on the same server
 * only, because the request contains a credential. @throws GuardedFetchError, ResponseTooLarge
 */
export function fetchThroughGuard(
  guardedFetch: GuardedFetch,
  { maxBytes, totalMs }: { maxBytes: number; totalMs: number },
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const request: GuardedRequest = {
      method: (init.method ?? 'GET') as GuardedRequest['method'],
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      totalMs,
      ...(init.signal ? { signal: init.signal } : {}),
    };
    let at = url;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const answer = await guardedFetch.request(at, request);
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || typeof location !== 'string')
        return responseOf(answer, at, maxBytes);
      await answer.close();
      const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
      if (request.method !== 'GET' || next?.origin !== new URL(url).origin) break;
      at = next.href;
    }
    throw new Error('The server redirects to another address.');
  };
}

async function responseOf(answer: GuardedAnswer, url: string, maxBytes: number): Promise<Response> {
  const body = await readAtMost(maxBytes, answer.body, url);
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
  );
  const { status } = answer;
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : body, { status, headers });
}

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from './serve.ts';

export interface PlainProxy {
  url: string;
  /** With any `Host`, which `fetch` of Node does not let a caller set. Follows no redirect. */
  fetch(url: URL, init?: ProxyRequest): Promise<Response>;
}

interface ProxyRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: URLSearchParams;
}

/**
 * A reverse proxy on this machine that passes everything on as it came and says nothing of itself: no `X-Forwarded-For`,
 * no `Via`. nginx with nothing but `proxy_pass` is one.
 */
export async function startPlainProxy(target: string): Promise<PlainProxy> {
  const { hostname, port } = new URL(target);
  const proxy = await serve((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const passed = request({ hostname, port, method, path: url, headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  return {
    url: proxy.url,
    fetch: async (url, { method = 'GET', headers = {}, body } = {}) => {
      const form = body && { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = request(url, { method, headers: { ...form, ...headers } }).end(body?.toString());
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      const location = answer.headers.location;
      return new Response(await text(answer), {
        status: answer.statusCode ?? 0,
        headers: location === undefined ? {} : { location },
      });
    },
  };
}

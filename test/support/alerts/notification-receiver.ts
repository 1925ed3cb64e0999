import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { after } from 'node:test';
import { text } from 'node:stream/consumers';
import { makeGuardedFetch, type GuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { lookupOf } from '#test/support/network/names.ts';
import { serve } from '#test/support/network/serve.ts';
import { testCertificate } from '#test/support/network/test-certificate.ts';

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export const bodyOf = ({ body }: ReceivedCall) =>
  JSON.parse(body) as { type: string; data: Record<string, unknown> };
export const typeOf = (call: ReceivedCall): string => bodyOf(call).type;
export const idOf = ({ headers }: ReceivedCall): unknown => headers['webhook-id'];

export interface NotificationReceiver {
  calls: ReceivedCall[];
  callsTo(path: string): ReceivedCall[];
  url(path: string): string;
  port: number;
  /** Answers a path with this status from now on. */
  setStatus(path: string, status: number): void;
  /** Resolves `hooks.example.com` to the receiver and `private.example.com` to a refused address. */
  guardedFetch: GuardedFetch;
}

/** An HTTPS receiver whose response depends on the path: `/ok`, `/hang...`, `/redirect`, `/private`, `/busy`, `/endless`, `/trickle...`, `/500`, `/400`. Stopped when the test file ends. */
export async function startNotificationReceiver(totalMs: number): Promise<NotificationReceiver> {
  const calls: ReceivedCall[] = [];
  const statuses = new Map<string, number>();
  const receive: RequestListener = (request, response) => {
    const { url: path = '', headers } = request;
    void text(request).then((body) => {
      calls.push({ path, headers, body });
      const status = statuses.get(path);
      if (status === undefined) answer(path, response);
      else response.writeHead(status).end();
    });
  };
  const { port } = await serve(receive, createServer(testCertificate));
  const guardedFetch = makeGuardedFetch({
    allowedNetworks: ['127.0.0.1/32'],
    allowedPorts: [port],
    lookup: lookupOf((name) => [name === 'private.example.com' ? '10.0.0.1' : '127.0.0.1']),
    limits: { connectMs: totalMs, totalMs, answerBytes: 16_384 },
  });
  after(guardedFetch.dispose);
  return {
    calls,
    callsTo: (path) => calls.filter((call) => call.path === path),
    port,
    setStatus: (path, status) => void statuses.set(path, status),
    url: (path) => `https://hooks.example.com:${port}${path}`,
    guardedFetch,
  };
}

function answer(path: string, response: ServerResponse): void {
  if (path.startsWith('/hang')) return;
  if (path.startsWith('/trickle')) return sendSlowly(response);
  if (path === '/private') response.writeHead(307, { location: 'https://10.0.0.1/' }).end();
  else if (path === '/busy') response.writeHead(429, { 'retry-after': '86400' }).end();
  else if (path === '/endless') sendForever(response);
  else if (path === '/redirect') response.writeHead(302, { location: '/ok' }).end();
  else response.writeHead(/^\/\d{3}$/.test(path) ? Number(path.slice(1)) : 200).end();
}

/** The headers arrive byte by byte and never end. */
function sendSlowly({ socket }: ServerResponse): void {
  socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => socket?.write('x'), 200);
  socket?.on('close', () => clearInterval(timer));
}

function sendForever(response: ServerResponse): void {
  const more = (): void => {
    for (let isTaken = true; isTaken && !response.destroyed;) isTaken = response.write(Buffer.alloc(65_536));
  };
  response.on('drain', more).writeHead(500);
  more();
}

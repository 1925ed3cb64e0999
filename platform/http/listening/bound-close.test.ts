import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import pino from 'pino';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeHttpServer } from '../server.ts';

const halfRequest =
  'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"';

/** A server that listens, and counts the requests that have reached it. */
async function startServer(closeWithinMs: number) {
  const app = makeHttpServer(pino({ enabled: false }), { closeWithinMs });
  after(() => app.close());
  const gate = makeGate();
  const seen = { requests: 0 };
  app.server.on('request', () => (seen.requests += 1));
  app.get('/slow', () => gate.passed().then(() => ({ ok: true })));
  app.post('/slow', () => ({ ok: true }));
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const open = (): Socket => connect(Number(url.port), url.hostname).on('error', () => {});
  return { app, gate, seen, open, url: new URL('/slow', url) };
}

test('a request that never ends is terminated after the limit', async () => {
  const { app, open, seen } = await startServer(50);
  const socket = open();
  socket.write(halfRequest);
  await waitUntil('the request', () => seen.requests === 1);
  await Promise.all([app.close(), once(socket, 'close')]);
});

test('a request in progress gets its response', async () => {
  const { app, gate, seen, url } = await startServer(10_000);
  gate.close();
  const answer = fetch(url);
  await waitUntil('the request', () => seen.requests === 1);
  const closed = app.close();
  gate.open();
  assert.deepEqual(await (await answer).json(), { ok: true });
  await closed;
});

test('a request that was on its way when the server closes gets its response, and its connection ends', async () => {
  const { app, gate, seen, open, url } = await startServer(10_000);
  gate.close();
  const socket = open();
  socket.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Len');
  await once(socket, 'connect');
  // The server reads what came before it.
  const inProgress = fetch(url);
  await waitUntil('the request', () => seen.requests === 1);
  const closed = app.close();
  await waitUntil('the end of listening', () => !app.server.listening);
  socket.write('gth: 2\r\n\r\n{}');
  const answer = await text(socket);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /connection: close/i);
  gate.open();
  await Promise.all([closed, inProgress]);
});

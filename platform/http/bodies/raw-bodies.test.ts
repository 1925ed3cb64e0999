import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import pino from 'pino';
import type { Problem } from '#contract/base/errors.ts';
import { makeGate } from '#test/support/waiting/gate.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeRawBodies } from './raw-bodies.ts';
import { registerRoutes } from '../register.ts';
import { route } from '../route.ts';
import { makeHttpServer } from '../server.ts';

const gate = makeGate();
const refused: string[] = [];
let arrivedBytes = 0;
const app = makeHttpServer(pino({ enabled: false }), { trustedProxies: ['127.0.0.1/32'] });
after(() => app.close());
app.addHook('onRequest', (incoming, _reply, done) => {
  incoming.raw.prependListener('data', (piece: Buffer) => (arrivedBytes += piece.length));
  done();
});
const takesBytes = (path: string, more: { answerWithinMs?: number } = {}) =>
  route({
    method: 'POST',
    path,
    access: 'anybody',
    summary: 'Takes bytes',
    rawBodyMaxBytes: 300_000,
    ...more,
    onBodyRefused: (_request, code) => refused.push(code),
    handle: async ({ body }) => {
      await gate.passed();
      return { bytes: Buffer.isBuffer(body) ? body.length : 0 };
    },
  });
await registerRoutes(
  app,
  [takesBytes('/in'), takesBytes('/in-time', { answerWithinMs: 20 })],
  { guard: () => undefined, describe: () => '', credentials: () => [] },
  makeRawBodies(400_000),
);
const url = new URL('/in', await app.listen({ host: '127.0.0.1', port: 0 }));

interface Sending {
  socket: ClientRequest;
  answer: Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: unknown }>;
}

function open(headers: Record<string, string> = {}): Sending {
  const socket = request(url, { method: 'POST', headers, agent: false });
  const answer = once(socket, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response?.statusCode,
    headers: response?.headers ?? {},
    body: await json(response as IncomingMessage),
  }));
  // Some are never answered, and some are cut off.
  answer.catch(() => {});
  socket.on('error', () => {});
  return { socket, answer };
}

function send(bytes: number, headers: Record<string, string> = {}): Sending {
  const sending = open(headers);
  sending.socket.write(Buffer.alloc(bytes));
  return sending;
}

/** Begins a request, and waits until so much of its body has arrived. */
async function begin(bytes: number, headers: Record<string, string> = {}): Promise<Sending> {
  const wanted = arrivedBytes + bytes;
  const sending = send(bytes, headers);
  await waitUntil('the bytes to arrive', () => arrivedBytes >= wanted);
  return sending;
}

async function isRefused({ answer }: Sending, expected: number, code: string): Promise<void> {
  const { status, headers, body } = await answer;
  assert.deepEqual([status, (body as Problem).code], [expected, code]);
  assert.equal(headers['retry-after'], expected === 503 ? '5' : undefined);
  assert.equal(refused.pop(), code);
}

async function isTaken({ socket, answer }: Sending, bytes: number): Promise<void> {
  socket.end();
  assert.deepEqual((await answer).body, { bytes });
}

test('the client whose bodies hold most loses one, and not the largest of another', async () => {
  const flood = { 'x-forwarded-for': '203.0.113.2' };
  const large = await begin(150_000, { 'x-forwarded-for': '203.0.113.1' });
  const small = [await begin(120_000, flood), await begin(90_000, flood)];
  const last = await begin(60_000, flood);
  await isRefused(small[0] as Sending, 503, 'try_again');
  await isTaken(large, 150_000);
  for (const each of [...small, last]) each.socket.destroy();
});

test('the largest unfinished bodies are refused when all of them exceed the limit', async () => {
  const large = await begin(250_000, { 'content-length': '300000' });
  const small = await begin(100_000);
  const another = await begin(70_000);
  await isRefused(large, 503, 'try_again');
  await isTaken(small, 100_000);
  await isTaken(another, 70_000);
});

test('a body counts until it is processed', async () => {
  gate.close();
  const first = await begin(300_000);
  first.socket.end();
  await waitUntil('the first to be in hand', () => gate.waiting() === 1);
  await isRefused(send(150_000), 503, 'try_again');
  gate.open();
  await isTaken(first, 300_000);
  await isTaken(await begin(300_000), 300_000);
});

test('a body whose answer was too late counts until it is processed', async (t) => {
  gate.close();
  t.after(() => gate.open());
  const late = await fetch(new URL('/in-time', url), { method: 'POST', body: new Uint8Array(300_000) });
  assert.deepEqual([late.status, late.headers.get('retry-after')], [503, '5']);
  await isRefused(send(150_000), 503, 'try_again');
  gate.open();
  await waitUntil('room for another', async () => {
    const another = open();
    another.socket.end(Buffer.alloc(300_000));
    return (await another.answer).status === 200;
  });
  refused.length = 0;
});

test('many waiting requests are refused, however small', async (t) => {
  gate.close();
  t.after(() => gate.open());
  const waiting = Array.from({ length: 20 }, () => fetch(url, { method: 'POST', body: 'x' }));
  await waitUntil('some to be refused', () => refused.length > 0, 5_000);
  gate.open();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].toSorted(), [200, 503]);
  refused.length = 0;
});

test('an aborted upload releases its memory', async () => {
  (await begin(290_000)).socket.destroy();
  await waitUntil('room for another', async () => {
    const another = open();
    another.socket.end(Buffer.alloc(300_000));
    return (await another.answer).status === 200;
  });
  refused.length = 0;
});

test('a body with a too large Content-Length is refused before it is read', async () => {
  const { socket, answer } = open({ 'content-length': '300001' });
  socket.flushHeaders();
  await isRefused({ socket, answer }, 413, 'payload_too_large');
});

test('a too large body without Content-Length is refused while it is read', async () => {
  await isRefused(await begin(300_001), 413, 'payload_too_large');
});

test('the connection of a refused body ends, however much its sender still has to send', async () => {
  const { socket, answer } = await begin(300_001, { connection: 'keep-alive' });
  assert.equal((await answer).headers.connection, 'close');
  refused.length = 0;
  if (!socket.socket?.destroyed) await once(socket.socket!, 'close');
});

test('many large bodies at once are all read', async () => {
  const bodies = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { socket, answer } = open();
      socket.end(Buffer.alloc(62_000));
      return (await answer).body;
    }),
  );
  assert.deepEqual(
    bodies,
    Array.from({ length: 5 }, () => ({ bytes: 62_000 })),
  );
});

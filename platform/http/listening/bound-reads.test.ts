import assert from 'node:assert/strict';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import pino from 'pino';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeHttpServer } from '../server.ts';

const app = makeHttpServer(pino({ enabled: false }));
after(() => app.close());
/** Bytes of bodies that reached a route. */
let arrived = 0;
let requests = 0;
/** Whose pieces arrived, in their order. */
const order: Socket[] = [];
app.server.on('request', () => (requests += 1));
app.addHook('onRequest', (request, _reply, done) => {
  request.raw.on('data', (piece: Buffer) => {
    arrived += piece.length;
    order.push(request.raw.socket);
  });
  done();
});
app.addContentTypeParser('*', (request, payload, done) => {
  payload.on('error', done).on('end', () => done(null));
  if (request.headers['x-slow'] !== '1') return;
  payload.on('data', () => {
    payload.pause();
    setImmediate(() => payload.resume());
  });
});
app.post('/', () => ({ ok: true }));
app.get('/', () => ({ ok: true }));
await app.listen({ host: '127.0.0.1', port: 0 });

const open = (): Socket =>
  connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
const head = (more: string): string =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\n${more}\r\n\r\n`;
const chunks = (size: number, count: number): string =>
  `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(count);

/** What the server answers until it closes the connection. */
async function answerTo(sent: string): Promise<string> {
  arrived = 0;
  requests = 0;
  const socket = open();
  socket.write(sent);
  return text(socket).catch(() => '');
}

test('a body in pieces of one byte ends its connection after a few hundred of them', async () => {
  const answer = await answerTo(head('Transfer-Encoding: chunked') + chunks(1, 20_000));
  assert.ok(answer === '' || answer.startsWith('HTTP/1.1 400 '), answer);
  assert.ok(arrived <= 700, `${arrived} pieces were read`);
});

test('so does one in pieces of 200 bytes, because each costs as much as a kilobyte', async () => {
  await answerTo(head('Transfer-Encoding: chunked') + chunks(200, 5_000));
  assert.ok(arrived <= 150_000, `${arrived} bytes were read`);
});

test('a body in pieces that are large enough is read', async () => {
  for (const [size, count] of [
    [400, 3_000],
    [10, 200],
    [1, 250],
    [60_000, 10],
  ] as const) {
    const sent = `${head('Connection: close\r\nTransfer-Encoding: chunked')}${chunks(size, count)}0\r\n\r\n`;
    assert.match(await answerTo(sent), /^HTTP\/1\.1 200 /, `${count} chunks of ${size} bytes`);
    assert.equal(arrived, size * count);
  }
});

test('several requests in one read are answered, a flood of them is not', async () => {
  const one = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  assert.equal((await answerTo(one.repeat(2) + last)).split('{"ok":true}').length - 1, 3);
  await answerTo(one.repeat(3_000));
  assert.ok(requests <= 3, `${requests} requests were read`);
});

test('bodies with a length are read in the same way wherever a packet ends', async () => {
  const body = (length: number, more: string): string =>
    head(`Content-Length: ${length}${more}`) + 'x'.repeat(length);
  const lengths = [0, 1, 2_000, 2_048, 5_000, 70_000, 3];
  const sent = lengths.map((length) => body(length, '')).join('') + body(10, '\r\nConnection: close');
  assert.equal((await answerTo(sent)).split('{"ok":true}').length - 1, 8);
  assert.equal(arrived, 10 + lengths.reduce((sum, length) => sum + length));
});

test('bodies of many connections at once arrive completely, also those whose reader is slow', async () => {
  arrived = 0;
  const answers = Array.from({ length: 40 }, (_, number) => {
    const socket = open();
    const more = `Connection: close\r\nX-Slow: ${number % 2}\r\nTransfer-Encoding: chunked`;
    socket.write(`${head(more)}${chunks(400, 1_000)}0\r\n\r\n`);
    return text(socket);
  });
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.equal(arrived, 40 * 400 * 1_000);
});

test('connections with much to read get a kilobyte each in turn', async () => {
  order.length = 0;
  const sent = `${head('Connection: close\r\nTransfer-Encoding: chunked')}${chunks(400, 1_000)}0\r\n\r\n`;
  // Fewer than have a place while they arrive.
  const answers = Array.from({ length: 12 }, () => {
    const socket = open();
    socket.write(sent);
    return text(socket);
  });
  await Promise.all(answers);
  const connections = new Set(order);
  assert.equal(connections.size, 12);
  // From when all of them have begun until the first one ends.
  const begun = Math.max(...[...connections].map((connection) => order.indexOf(connection)));
  const ended = Math.min(...[...connections].map((connection) => order.lastIndexOf(connection)));
  let longest = 0;
  let run = 0;
  for (let at = begun + 1; at < ended; at += 1) {
    run = order[at] === order[at - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  assert.ok(ended - begun > 3_000, `one ended ${begun - ended} pieces before another began`);
  assert.ok(longest <= 10, `${longest} pieces of one connection in a row`);
});

test('a body that has arrived with its head is read in one turn, beside connections with much to read', async () => {
  order.length = 0;
  const much = `${head('Connection: close\r\nTransfer-Encoding: chunked')}${chunks(400, 4_000)}0\r\n\r\n`;
  const send = (sent: string): Promise<string> => {
    const socket = open();
    socket.write(sent);
    return text(socket);
  };
  const others = Array.from({ length: 12 }, () => send(much));
  await waitUntil('the others have begun', async () => new Set(order).size === 12);
  const known = new Set(order);
  const webhook = `${head('Connection: close\r\nContent-Length: 10000')}${'x'.repeat(10_000)}`;
  assert.match(await send(webhook), /^HTTP\/1\.1 200 /);
  await Promise.all(others);
  const places = order.flatMap((connection, place) => (known.has(connection) ? [] : [place]));
  assert.ok(places.length > 0 && places[0]! < order.length - 100, 'the others ended before');
  assert.equal(places.at(-1)! - places[0]!, places.length - 1, `read at ${places.join(', ')}`);
});

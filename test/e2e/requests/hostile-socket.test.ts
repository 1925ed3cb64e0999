import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { WsToken } from '#contract/members/identity.ts';
import { hostileJson } from '#test/support/data/hostile-json.ts';
import { startSignInProduct } from '#test/support/identity/signed-in-product.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startSignInProduct();
const staysShort = watchTurns();
const text = 0x1;
const binary = 0x2;
const close = 0x8;
const ping = 0x9;
const pong = 0xa;
const lastWords = Buffer.from('the end');

const session = await product.newSession('ann');

/** Opens all sockets of one test. A person gets five tokens a second, so a refused request is repeated. */
const newToken = (): Promise<string> =>
  waitUntil('a socket token', async () => {
    const response = await session.fetch(`${product.publicUrl}/api/auth/ws-token`);
    return response.ok && ((await response.json()) as WsToken).token;
  });

/** A masked frame (RFC 6455, section 5.2). The mask of zeros leaves the payload as it is, so that sending costs nothing. */
function frame(opcode: number, payload: Buffer, isLast = true): Buffer {
  const size = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + size + 4);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (size === 0 ? payload.length : size === 2 ? 126 : 127);
  if (size === 2) head.writeUInt16BE(payload.length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** The code with which the server closes the connection. */
type Outcome = number | 'open' | 'cut';
const messageTooBig = 1009;

/** Sends bytes on an open socket and resolves when the server answers a last ping or closes the connection. */
async function sendOn(token: string, bytes: Buffer): Promise<Outcome> {
  const { hostname, port } = new URL(product.publicUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write(
    [
      `GET /ws?channel=workflows&token=${token} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      '\r\n',
    ].join('\r\n'),
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  assert.match(head.toString('latin1'), /^HTTP\/1\.1 101 /);
  socket.write(bytes);
  socket.write(frame(ping, lastWords));
  let received = Buffer.alloc(0);
  return new Promise((resolve) => {
    const finish = (outcome: Outcome): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      for (const { opcode, payload } of framesIn(received)) {
        if (opcode === close) finish(payload.readUInt16BE(0));
        if (opcode === pong && payload.equals(lastWords)) finish('open');
      }
    });
    socket.on('close', () => finish('cut'));
  });
}

/** The complete frames of a server, which are not masked and shorter than 64 KiB here. */
function framesIn(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const frames = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const short = bytes.readUInt8(at + 1) & 0x7f;
    const start = at + (short === 126 ? 4 : 2);
    const end = start + (short === 126 ? bytes.readUInt16BE(at + 2) : short);
    if (end > bytes.length) break;
    frames.push({ opcode: bytes.readUInt8(at) & 0xf, payload: bytes.subarray(start, end) });
    at = end;
  }
  return frames;
}

const blocksNobody = (token: string, name: string, bytes: Buffer, end?: Outcome): Promise<void> =>
  staysShort(name, async () => {
    const outcome = await sendOn(token, bytes);
    if (end !== undefined) assert.equal(outcome, end, name);
  });

for (const [kind, make] of Object.entries(hostileJson)) {
  test(`a socket message of ${kind} blocks nobody at any length`, async () => {
    const token = await newToken();
    for (const bytes of [100, 1000, 4000]) {
      const payload = Buffer.from(make(bytes)).subarray(0, 4096);
      await blocksNobody(token, `${bytes} bytes`, frame(text, payload));
    }
    for (const bytes of [5000, 250_000, 8_000_000])
      await blocksNobody(token, `${bytes} bytes`, frame(text, Buffer.from(make(bytes))), messageTooBig);
  });
}

const floods: Record<string, Buffer> = {
  messages: Buffer.concat(Array(20_000).fill(frame(text, Buffer.from('{"type":"ping"}')))),
  'binary messages': Buffer.concat(Array(20_000).fill(frame(binary, Buffer.alloc(100)))),
  fragments: Buffer.concat([
    frame(text, Buffer.from('"'), false),
    ...Array(50_000).fill(frame(0, Buffer.from('x'), false)),
  ]),
  'empty fragments': Buffer.concat([
    frame(text, Buffer.alloc(0), false),
    ...Array(50_000).fill(frame(0, Buffer.alloc(0), false)),
  ]),
  pings: Buffer.concat(Array(20_000).fill(frame(ping, Buffer.alloc(125)))),
  pongs: Buffer.concat(Array(20_000).fill(frame(pong, Buffer.alloc(125)))),
};
for (const [kind, bytes] of Object.entries(floods)) {
  test(`a flood of ${kind} on a socket blocks nobody`, async () =>
    blocksNobody(await newToken(), kind, bytes));
}

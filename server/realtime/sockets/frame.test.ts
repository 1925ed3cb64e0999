import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocketServer } from 'ws';
import type { ServerMessage } from '#contract/runs/realtime.ts';
import { frameOf } from './frame.ts';

/** The bytes after the handshake that `ws` itself writes for these texts. */
async function bytesFromWs(texts: readonly string[]): Promise<Buffer> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  server.on('connection', (ws) => {
    for (const text of texts) ws.send(Buffer.from(text), { binary: false });
    ws.send(Buffer.alloc(0), { binary: false }, () => ws.terminate());
  });
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  server.close();
  const bytes = Buffer.concat(chunks);
  const emptyFrame = 2;
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4, bytes.length - emptyFrame);
}

test('a frame made once has the very bytes that ws would send, at every length of header', async () => {
  const messages = [0, 1, 60, 95, 96, 97, 5_000, 65_000, 65_535, 65_536, 70_000, 300_000].flatMap((length) =>
    ['x', 'é', '😀', '\ud800', '\0'].map((letter): ServerMessage => ({
      v: 1,
      type: 'resync',
      integrationId: letter.repeat(length),
    })),
  );
  const expected = await bytesFromWs(messages.map((message) => JSON.stringify(message)));
  const ours = Buffer.concat(messages.map(frameOf));
  assert.ok(ours.equals(expected));
});

test('both borders of the length field are met exactly', () => {
  assert.deepEqual([...frameOfLength(125).subarray(0, 2)], [0x81, 125]);
  assert.deepEqual([...frameOfLength(126).subarray(0, 4)], [0x81, 126, 0, 126]);
  assert.deepEqual([...frameOfLength(65_535).subarray(0, 4)], [0x81, 126, 0xff, 0xff]);
  assert.deepEqual([...frameOfLength(65_536).subarray(0, 10)], [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
});

function frameOfLength(bytes: number): Buffer {
  const empty = JSON.stringify({ v: 1, type: 'resync', integrationId: '' }).length;
  return frameOf({ v: 1, type: 'resync', integrationId: 'x'.repeat(bytes - empty) });
}

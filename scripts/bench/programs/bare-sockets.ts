import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { serveSocketCommands } from './socket-commands.ts';

/** The upper bound of P8: `ws` with a frame that is built once and written to each socket. */
const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 4096 });
const open = new Set<Socket>();
sockets.on('connection', (client, { socket }) => {
  open.add(socket);
  client.on('close', () => open.delete(socket));
});
const integrationId = process.argv[2] ?? '';

await serveSocketCommands(server, '', (data, seq) => {
  const at = new Date().toISOString();
  const frame = frameOf(
    JSON.stringify({ v: 1, type: 'workflow_run', integrationId, epoch: 'e', seq, at, data }),
  );
  for (const socket of open) socket.write(frame);
});

/** A final text frame with a length of two bytes (RFC 6455, section 5.2). */
function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]), payload]);
}

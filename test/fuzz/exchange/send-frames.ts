import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { bytesOf, type Frame, type SocketCase } from '../case.ts';

export interface SocketOutcome {
  status: number;
  /** All that came after the handshake. */
  received: Buffer;
  /** Whether the product closed the connection. */
  isClosed: boolean;
}

const patienceMs = 30_000;

/** How long an open socket that has nothing to say is listened to. */
const quietMs = 25;

/** A real handshake, then the frames in one write. */
export function sendFrames(
  port: number,
  { frames, hasControl }: SocketCase,
  token: string,
  values: Record<string, string>,
): Promise<SocketOutcome> {
  const head = [
    `GET /ws?channel=workflows&token=${encodeURIComponent(token)} HTTP/1.1`,
    `host: localhost:${port}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
    ...(hasControl ? ['sec-websocket-protocol: workflows.v1'] : []),
  ];
  const sent = frames.map((frame) => frameBytes(frame, values));
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    let quiet: NodeJS.Timeout | undefined;
    const socket = connect({ port, host: '127.0.0.1' });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no handshake within ${patienceMs} ms`));
    }, patienceMs);
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      clearTimeout(quiet);
      socket.destroy();
      const end = bytes.indexOf('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1', 0, 20))?.[1] ?? 0);
      resolve({ status, received: bytes.subarray(end + 4), isClosed });
    };
    socket.on('data', (piece: Buffer) => {
      const wasOpen = bytes.includes('\r\n\r\n');
      bytes = Buffer.concat([bytes, piece]);
      if (!wasOpen && bytes.includes('\r\n\r\n')) for (const frame of sent) socket.write(frame);
      if (bytes.includes('\r\n\r\n')) {
        clearTimeout(quiet);
        quiet = setTimeout(() => finish(false), quietMs);
      }
    });
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
  });
}

function frameBytes(
  { fin, rsv, opcode, isMasked, payload, declared }: Frame,
  values: Record<string, string>,
): Buffer {
  const body = bytesOf(payload, values);
  const length = body.length + (declared === 'longer' ? 50 : 0);
  const first = (fin ? 128 : 0) | (rsv << 4) | opcode;
  const mask = isMasked ? 128 : 0;
  const size = sizeBytes(length, declared);
  const head = Buffer.concat([Buffer.from([first, mask | size.code]), size.bytes]);
  if (!isMasked) return Buffer.concat([head, body]);
  const key = randomBytes(4);
  return Buffer.concat([head, key, body.map((byte, index) => byte ^ (key[index % 4] ?? 0))]);
}

function sizeBytes(length: number, declared: Frame['declared']): { code: number; bytes: Buffer } {
  const bytes = Buffer.alloc(8);
  if (declared === 'huge' || declared === 'negative') {
    bytes.writeBigUInt64BE(declared === 'huge' ? 2n ** 62n : 2n ** 63n);
    return { code: 127, bytes };
  }
  if (length < 126) return { code: length, bytes: Buffer.alloc(0) };
  if (length < 65_536) {
    bytes.writeUInt16BE(length);
    return { code: 126, bytes: bytes.subarray(0, 2) };
  }
  bytes.writeBigUInt64BE(BigInt(length));
  return { code: 127, bytes };
}

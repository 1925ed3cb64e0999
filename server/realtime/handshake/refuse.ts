import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { errorCodes } from '#contract/base/errors.ts';
import { problemOf } from '#platform/http/error-response.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Refusal } from './handshake.ts';

/** Answers a refused handshake with a problem document, like other requests, and closes the connection. */
export function refuse(socket: Duplex, { code, detail, retryAfterSeconds, headers = {} }: Refusal): void {
  const { status } = errorCodes[code];
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(new AppError(code, { detail }), requestId));
  const lines = {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...headers,
  };
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  // No reason phrase (RFC 9112, section 4): an import of `node:http` for it loads `fetch` too, 16 MiB.
  socket.end(`HTTP/1.1 ${status} \r\n${head.join('')}\r\n${body}`);
}

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ErrorCode } from '#contract/errors.ts';
import { errorCodes } from '#contract/errors.ts';
import { AppError } from '../runtime/app-error.ts';
import { problemOf } from './error-response.ts';

/** Answers what is no HTTP request, or one too long to be read: on the socket itself, as there is no request yet. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const code = unreadable[error.code ?? ''] ?? 'invalid_request';
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(new AppError(code), requestId));
  const head = [
    `HTTP/1.1 ${errorCodes[code].status} ${errorCodes[code].title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  // Who does not close its side keeps no socket of ours for that.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** By the codes of Node's parser. */
const unreadable: Record<string, ErrorCode | undefined> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ErrorCode } from '#contract/base/errors.ts';
import { errorCodes } from '#contract/base/errors.ts';
import { AppError } from '../runtime/app-error.ts';
import { problemOf } from './error-response.ts';

/** Answers invalid or too long HTTP requests on the socket itself, because there is no request object yet. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, detail] = unreadable[error.code ?? ''] ?? notHttp;
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(new AppError(code, { detail }), requestId));
  const head = [
    `HTTP/1.1 ${errorCodes[code].status} ${errorCodes[code].title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  // Destroys the socket even if the client never closes its side.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Error codes of Node's HTTP parser, and ours. */
const unreadable: Record<string, [ErrorCode, string] | undefined> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'Send fewer or shorter headers and cookies.'],
  COSTLY_REQUEST: ['invalid_request', 'Send the body in larger pieces, and one request at a time.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'Send the request again.'],
};

const notHttp: [ErrorCode, string] = ['invalid_request', 'The request is not valid HTTP.'];

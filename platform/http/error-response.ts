import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorCodes, type ErrorCode, type Problem } from '#contract/base/errors.ts';
import { isDatabaseAway, outageCause } from '../database/database-error.ts';
import { AppError } from '../runtime/app-error.ts';
import type { FailureLog } from '../runtime/tasks/failure-log.ts';
import { BodyRefused } from './bodies/raw-bodies.ts';
import { pathOf } from './chain/canonical-path.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Requests that failed because database or queue was away. An outage is logged once, not with each request. */
    outages: FailureLog;
  }
}

/** Fastify's error codes: ours, and what to do. */
const frameworkErrors: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is larger than this route accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_json', 'Send valid JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty. Send valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'Content-Length differs from the length of the body.',
  ],
  FST_ERR_BAD_URL: ['invalid_path', 'The path has an invalid percent-encoding.'],
};

/** Turns a thrown error into a response. Unexpected errors are logged and answered as `internal`. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = noteError(error, request);
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  return reply
    .code(errorCodes[known.code].status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problemOf(known, request.id));
}

/** Logs a thrown error and returns it as an AppError, for responses that are not a problem document. */
export function noteError(error: unknown, request: FastifyRequest): AppError {
  const known = asAppError(error);
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed');
  else if ((known.code === 'try_again' || known.code === 'storage_full') && isDatabaseAway(known.cause))
    request.server.outages.failed(known.cause);
  // The check of the disk logs its state. Anybody can send a body that is refused, so it gets no warning with a stack.
  else if (
    known.code !== 'storage_full' &&
    !(error instanceof BodyRefused) &&
    errorCodes[known.code].status >= 500
  )
    request.log.warn({ err: known.cause ?? error }, known.code);
  noteRefusal(known.code, request);
  return known;
}

/** Audit log of refused requests. Contains no query, header or body. */
function noteRefusal(code: ErrorCode, request: FastifyRequest): void {
  const { status } = errorCodes[code];
  if (status !== 401 && status !== 403) return;
  const { method, caller, ip } = request;
  const path = pathOf(request.raw.url ?? '');
  request.log.info(
    { audit: 'refused', code, method, path, userId: caller?.userId ?? null, ip },
    'request refused',
  );
}

export function problemOf(error: AppError, requestId: string): Problem {
  const { status, title } = errorCodes[error.code];
  return {
    type: `urn:forgewatch:error:${error.code}`,
    title,
    status,
    detail: error.detail,
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}

const suffixOf = (cause: string | undefined): string => (cause === undefined ? '' : `: ${cause}`);

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const framework = error as Partial<FastifyError>;
  const [code, detail] = frameworkErrors[framework.code ?? ''] ?? [];
  if (code !== undefined && detail !== undefined) return new AppError(code, { detail, cause: error });
  if (isDatabaseAway(error)) {
    return new AppError('try_again', {
      detail: `The database is not available${suffixOf(outageCause(error))}.`,
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  if (framework.statusCode === 400)
    return new AppError('invalid_request', { detail: 'The request is not valid.', cause: error });
  return new AppError('internal', {
    detail: 'The server failed. Its log has the details under this request ID.',
    cause: error,
  });
}

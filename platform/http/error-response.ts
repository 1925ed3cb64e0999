import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorCodes, type ErrorCode, type Problem } from '#contract/errors.ts';
import { isDatabaseAway } from '../database/database-error.ts';
import { AppError } from '../runtime/app-error.ts';
import { pathOf } from './chain/canonical-path.ts';

/** How the framework's own refusals read in our list of codes. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_path',
};

/** The one place that turns whatever was thrown into an answer; what is not an AppError is logged and stays inside. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = noteError(error, request);
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds);
  return reply
    .code(errorCodes[known.code].status)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problemOf(known, request.id));
}

/** What was thrown as an error with a code, after it was logged; for answers that are no problem document. */
export function noteError(error: unknown, request: FastifyRequest): AppError {
  const known = asAppError(error);
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed');
  else if (errorCodes[known.code].status >= 500) request.log.warn({ err: known.cause ?? error }, known.code);
  noteRefusal(known.code, request);
  return known;
}

/** Who was kept from what, for whoever looks for attacks; no query, header or body. */
function noteRefusal(code: ErrorCode, request: FastifyRequest): void {
  const { status } = errorCodes[code];
  if (status !== 401 && status !== 403) return;
  const { method, caller, ip } = request;
  const path = pathOf(request.raw.url ?? '');
  request.log.info(
    { audit: 'refused', code, method, path, userId: caller?.userId ?? null, ip },
    'a request was refused',
  );
}

export function problemOf(error: AppError, requestId: string): Problem {
  const { status, title } = errorCodes[error.code];
  return {
    type: `urn:forgewatch:error:${error.code}`,
    title,
    status,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    code: error.code,
    requestId,
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const framework = error as Partial<FastifyError>;
  const code = framework.code === undefined ? undefined : frameworkCodes[framework.code];
  if (code !== undefined) return new AppError(code, { cause: error });
  if (isDatabaseAway(error)) {
    return new AppError('try_again', {
      detail: 'The database does not answer.',
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  if (framework.statusCode === 400) return new AppError('invalid_request', { cause: error });
  return new AppError('internal', { cause: error });
}

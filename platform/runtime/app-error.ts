import { errorCodes, type ErrorCode, type Problem } from '#contract/base/errors.ts';

interface Details {
  /** Shown to the caller: what is wrong and what to do. Never contains internals or secrets. */
  detail: string;
  errors?: Problem['errors'];
  /** For the log only. */
  cause?: unknown;
  /** Seconds until a retry may succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number;
}

/** An expected failure with an error code. Other errors are answered as `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly errors: Problem['errors'];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, details: Details) {
    super(details.detail, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = details.detail;
    this.errors = details.errors;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** One field of the request has a value that cannot be used. `message` continues the name of the field. */
export function invalidField(field: string, message: string): AppError {
  return new AppError('invalid_request', {
    detail: `The field ${field} is not valid.`,
    errors: [{ field, message }],
  });
}

/** Whether an attempt to authenticate failed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && errorCodes[error.code].status === 401;
}

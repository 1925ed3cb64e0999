import type { ErrorCode, Problem } from '#contract/errors.ts';

interface Details {
  /** Told to the caller: what is wrong and what to do next. Never holds internals or secrets. */
  detail?: string;
  errors?: Problem['errors'];
  /** Kept for the log. */
  cause?: unknown;
  /** Seconds until a repeat may work; becomes `Retry-After`. */
  retryAfterSeconds?: number;
}

/** An expected failure with a code from the closed list. Anything else that is thrown is `internal` to the outside. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly errors: Problem['errors'];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, details: Details = {}) {
    super(details.detail ?? code, { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.detail = details.detail;
    this.errors = details.errors;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

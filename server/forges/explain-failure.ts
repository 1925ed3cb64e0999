import type { ErrorCode } from '#contract/base/errors.ts';
import { GuardedFetchError } from '#platform/http/outgoing/guarded-fetch.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { ActionNotOffered, ForgeError, RateLimited } from './errors.ts';

/** Codes of `explainFailure`, for the API reference. */
export const forgeErrors = [
  'forge_unavailable',
  'forge_action_not_offered',
  'forge_address_refused',
  'forge_refused',
] as const satisfies readonly ErrorCode[];

/** The error of an interactive call. A refusal contains the words of the forge, which are bounded, after `prefix`. */
export function explainFailure(error: unknown, prefix = ''): unknown {
  if (error instanceof RateLimited)
    return new AppError('forge_unavailable', {
      detail: 'The forge’s rate limit is exceeded. Try again later.',
      retryAfterSeconds: Math.ceil((error.waitMs ?? 60_000) / 1000),
      cause: error,
    });
  if (error instanceof ActionNotOffered)
    return new AppError('forge_action_not_offered', { detail: error.message, cause: error });
  if (!(error instanceof ForgeError)) return error;
  const guarded = guardedCauseOf(error);
  if (guarded?.reason === 'blocked')
    return new AppError('forge_address_refused', { detail: guarded.message, cause: error });
  if (error.status < 500)
    return new AppError('forge_refused', { detail: prefix + error.message, cause: error });
  return new AppError('forge_unavailable', {
    detail:
      guarded?.message ?? 'The forge is not available or returned an unexpected answer. Try again shortly.',
    retryAfterSeconds: 30,
    cause: error,
  });
}

function guardedCauseOf(error: unknown): GuardedFetchError | undefined {
  if (error instanceof GuardedFetchError) return error;
  return error instanceof Error && error.cause !== undefined ? guardedCauseOf(error.cause) : undefined;
}

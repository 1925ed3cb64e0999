import { AppError } from '#platform/runtime/app-error.ts';

/** @throws AppError `token_limit_reached`. Expired tokens count until they are revoked. */
export function refuseMoreThan(most: number, tokens: readonly unknown[]): void {
  if (tokens.length < most) return;
  throw new AppError('token_limit_reached', {
    detail: `The limit of ${most} API tokens is reached. Revoke one first.`,
  });
}

export function noSuchToken(): AppError {
  return new AppError('not_found', { detail: 'API token not found.' });
}

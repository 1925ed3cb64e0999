import { defaultTokenDays, maxTokenDays, maxTokens } from '#contract/members/api-tokens.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** @throws AppError `invalid_request` for a time that is over, or too far away */
export function endOfToken(expiresAt: string | undefined, now: number): Date {
  if (expiresAt === undefined) return new Date(now + defaultTokenDays * dayMs);
  const end = Date.parse(expiresAt);
  if (end > now && end <= now + maxTokenDays * dayMs) return new Date(end);
  throw invalidField('expiresAt', `must be in the future, at most ${maxTokenDays} days from now`);
}

/** @throws AppError `token_limit_reached`. Expired tokens count until they are revoked. */
export function refuseOneMore(tokens: readonly unknown[]): void {
  if (tokens.length < maxTokens) return;
  throw new AppError('token_limit_reached', {
    detail: `The limit of ${maxTokens} API tokens is reached. Revoke one first.`,
  });
}

export function noSuchToken(): AppError {
  return new AppError('not_found', { detail: 'API token not found.' });
}

interface TokenTimes {
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
}

/** The row with its times in the format of the contract. */
export function withTimes<Row extends TokenTimes>(row: Row) {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  };
}

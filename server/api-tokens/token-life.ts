import { defaultTokenDays, maxTokenDays } from '#contract/members/api-tokens.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

/** @throws AppError `invalid_request` for a time that is over, or too far away */
export function endOfToken(expiresAt: string | undefined, now: number): Date {
  if (expiresAt === undefined) return new Date(now + defaultTokenDays * dayMs);
  const end = Date.parse(expiresAt);
  if (end > now && end <= now + maxTokenDays * dayMs) return new Date(end);
  throw new AppError('invalid_request', {
    detail: 'The body is not valid.',
    errors: [{ field: 'expiresAt', message: `must be in the future, at most ${maxTokenDays} days from now` }],
  });
}

import type { Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { lockAndCountOwned } from './store.ts';

/** Call before a user becomes the owner of another integration. @throws AppError `integration_limit_reached` */
export async function limitOwned(tx: Tx, userId: string, most: number): Promise<void> {
  if ((await lockAndCountOwned(tx, userId)) < most) return;
  throw new AppError('integration_limit_reached', {
    detail: `One person owns at most ${most} integrations (INTEGRATIONS_PER_PERSON). Delete one, transfer one to somebody else, or ask the operator to raise the limit.`,
  });
}

import { byteSize } from '#contract/base/byte-size.ts';
import { actAs } from '#platform/database/acting-user.ts';
import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { dayOf, endOfDay } from './quota-day.ts';
import { addLogUsage, findLogUsage } from './usage-store.ts';

interface LogQuotaDeps {
  db: Database;
  clock: Clock;
  limits: { logBytesPerPersonPerDay: number };
}

/**
 * Refuses a person who had read too much from forges today. It is exceeded by what their requests read at the same time.
 * @throws AppError `quota_exceeded`
 */
export async function refuseUsedUp({ db, clock, limits }: LogQuotaDeps, readerId: string): Promise<void> {
  const limit = limits.logBytesPerPersonPerDay;
  const now = clock();
  const used = await actAs(undefined, () =>
    db.withScope('service', (tx) => findLogUsage(tx, readerId, dayOf(now))),
  );
  if (limit === 0 || used < limit) return;
  throw new AppError('quota_exceeded', {
    detail: `Your quota of ${byteSize(limit)} of logs a day is used up. It begins again at 00:00 UTC. Logs that are stored can still be read. The operator can raise LOG_BYTES_PER_PERSON_PER_DAY.`,
    retryAfterSeconds: Math.max(1, Math.ceil((endOfDay(now) - now) / 1000)),
  });
}

export async function addLogBytes(
  { db, clock }: Pick<LogQuotaDeps, 'db' | 'clock'>,
  readerId: string,
  bytes: number,
): Promise<void> {
  await db.withScope('service', (tx) => addLogUsage(tx, readerId, dayOf(clock()), bytes));
}

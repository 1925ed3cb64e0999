import type { Database, Tx } from '#platform/database/database.ts';
import { joinDay, listOpenDays } from './join-days-store.ts';
import { dayMs, hourMs } from './time-span.ts';

export interface JoinDaysDeps {
  db: Database;
  /** Makes the transaction the only writer of the integration's numbers. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
}

/** A day is added up when it has been over for this long: what comes later takes the sums away again. */
const waitMs = hourMs;
const longestMs = 732 * dayMs;
const daysAtOnce = 100;

/**
 * Adds up the hours of an integration's past days, so that a quarter is read from 90 times and not from 2,160. Returns
 * how many days; 0 when there are no more.
 */
export async function joinDays(
  { db, lock }: JoinDaysDeps,
  integrationId: string,
  now: number,
): Promise<number> {
  const until = new Date(Math.floor((now - waitMs) / dayMs) * dayMs);
  const since = new Date(until.getTime() - longestMs);
  const days = await db.withScope({ integrationId }, (tx) =>
    listOpenDays(tx, integrationId, since, until, daysAtOnce),
  );
  for (const day of days) {
    await db.withScope({ integrationId }, async (tx) => {
      await lock(tx, [integrationId]);
      await joinDay(tx, integrationId, day);
    });
  }
  return days.length;
}

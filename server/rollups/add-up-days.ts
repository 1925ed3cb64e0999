import type { Database, Tx } from '#platform/database/database.ts';
import { addUpDay, finalizeHours, findDirtyDay, hasHoursToFinalize } from './add-up-days-store.ts';

export interface AddUpDaysDeps {
  db: Database;
  /** Locks the integrations' numbers for other writers until the end of the transaction. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
}

/** An hour is finalized this long after its end. A later event marks its day as dirty, and the next run adds the day up again. */
const waitMs = 600_000;

/**
 * Takes one step for an integration and returns 1, or returns 0 when nothing is left to do: finalizes the hours that are over, or
 * adds up the first dirty day.
 */
export async function addUpDays(
  { db, lock }: AddUpDaysDeps,
  integrationId: string,
  now: number,
): Promise<number> {
  const step = async (tx: Tx): Promise<(() => Promise<void>) | undefined> => {
    if (await hasHoursToFinalize(tx, integrationId, new Date(now), waitMs))
      return () => finalizeHours(tx, integrationId, new Date(now), waitMs);
    const day = await findDirtyDay(tx, integrationId);
    return day && (() => addUpDay(tx, integrationId, day));
  };
  // Most integrations have nothing to do, and are not locked to find out.
  if ((await db.withScope({ integrationId }, step)) === undefined) return 0;
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    const work = await step(tx);
    await work?.();
    return work === undefined ? 0 : 1;
  });
}

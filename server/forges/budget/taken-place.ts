import type { Database } from '#platform/database/database.ts';
import { keepRenewed } from '#platform/runtime/tasks/keep-renewed.ts';
import { leavePlace, renewPlace, type Budget } from './budget-store.ts';

/** If a process dies, its connections call again after this time. */
export const leaseMs = 30_000;
const renewEveryMs = 10_000;

/** The place for background calls of a connection. Most calls end before it needs a renewal. */
export interface TakenPlace {
  /** Saves what the forge said about limits. */
  leave(budget: Budget | undefined): Promise<void>;
}

/** Keeps a taken place until it is left. */
export function makeTakenPlace(
  db: Database,
  connection: string,
  taken: string,
  everyMs: number = renewEveryMs,
): TakenPlace {
  let place: string | undefined = taken;
  const endRenewals = keepRenewed(everyMs, async () => {
    // Without renewals for a time, for example without the database, another process has it.
    if (place !== undefined) place = await renewPlace(db, connection, place, leaseMs);
  });
  return {
    leave: async (budget) => {
      await endRenewals();
      await leavePlace(db, connection, place, budget);
    },
  };
}

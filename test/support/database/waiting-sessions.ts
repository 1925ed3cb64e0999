import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { TestDatabase } from './test-database.ts';

/** How many sessions of the database wait for a lock. */
export async function waitingSessions(database: TestDatabase): Promise<number> {
  const rows = await database.asOwner(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

export const untilSessionWaits = (database: TestDatabase, what: string): Promise<true> =>
  waitUntil(`${what} to wait for a lock`, async () => (await waitingSessions(database)) > 0);

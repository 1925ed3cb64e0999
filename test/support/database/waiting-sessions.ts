import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { TestDatabase } from './test-database.ts';

const isWaiting = `datname = current_database() and wait_event_type = 'Lock'`;

/** How many sessions of the database wait for a lock. */
export async function waitingSessions(database: TestDatabase): Promise<number> {
  return (await database.asOwner(`select from pg_stat_activity where ${isWaiting}`)).length;
}

export const untilSessionWaits = (database: TestDatabase, what: string): Promise<true> =>
  waitUntil(`${what} to wait for a lock`, async () => (await waitingSessions(database)) > 0);

/** Waits for statements that wait for a lock, and cancels them. */
export async function cancelWaiting(database: TestDatabase): Promise<void> {
  await waitUntil('a statement to wait for a lock', async () => {
    const cancelled = await database.asOwner(
      `select pg_cancel_backend(pid) from pg_stat_activity where ${isWaiting}`,
    );
    return cancelled.length > 0;
  });
}

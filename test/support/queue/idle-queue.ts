import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Whether no message is ready, leased or waiting for its next attempt. */
export async function isQueueIdle(database: Pick<TestDatabase, 'asOwner'>): Promise<boolean> {
  const busy = await database.asOwner(
    'select from queue_group where ready_at is not null or lease_until is not null limit 1',
  );
  return busy.length === 0;
}

export const untilQueueIsIdle = (database: TestDatabase): Promise<true> =>
  waitUntil('the queue to be empty', () => isQueueIdle(database));

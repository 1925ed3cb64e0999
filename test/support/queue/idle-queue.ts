import { readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Whether no message is ready, leased or waiting for its next attempt. */
export async function isQueueIdle(database: Pick<TestDatabase, 'asOwner'>): Promise<boolean> {
  const busy = await database.asOwner(
    'select from queue_group where ready_at is not null or lease_until is not null limit 1',
  );
  return busy.length === 0;
}

/** The ids of the deliveries that the queue has stored, of all groups or of one. */
export async function queuedDeliveries(
  database: Pick<TestDatabase, 'asOwner'>,
  groupId?: string,
): Promise<string[]> {
  const groups = await readRows(database, 'queue_group', groupId === undefined ? {} : { group_id: groupId });
  const numbers = new Set(groups.map(({ group_no: number }) => number));
  return (await readRows(database, 'queue_message'))
    .filter(({ group_no: number }) => numbers.has(number))
    .map(({ deduplication_id: id }) => id);
}

export const untilQueueIsIdle = (database: Pick<TestDatabase, 'asOwner'>): Promise<true> =>
  waitUntil('the queue to be empty', () => isQueueIdle(database));

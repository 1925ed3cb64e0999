import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { dropPartitions } from '../store.ts';

const database = await createTestDatabase();

/** The partition of the ISO week that began so many days ago or a few before, with one message in it. */
async function partitionOf(daysAgo: number): Promise<string> {
  const [row] = await database.asOwner<{ name: string; start: string }>(
    `select 'queue_message_' || to_char(week at time zone 'UTC', 'IYYY_IW') as name, week::text as start
     from date_trunc('week', now() - $1 * interval '1 day', 'UTC') week`,
    [daysAgo],
  );
  await database.asOwner(
    `create table ${row!.name} partition of queue_message for values from ('${row!.start}')
     to ('${row!.start}'::timestamptz + interval '7 days')`,
  );
  await database.asOwner(
    `insert into queue_message (group_no, accepted_at, deduplication_id, segment_id, body_start, body_length)
     values (1, $1, 'one', 1, 0, 0)`,
    [row!.start],
  );
  return row!.name;
}

const partitions = async (): Promise<string[]> => {
  const rows = await database.asOwner<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'queue_message'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
};

const drop = (days: number) => database.worker.withScope('service', (tx) => dropPartitions(tx, days));

test('weeks older than the retention go as a whole, unless something in them still waits', async () => {
  const present = await partitions();
  const [old, recent] = [await partitionOf(120), await partitionOf(60)];
  await database.asOwner(
    `insert into queue_group (group_id, head_at) values ('waiting', now() - interval '121 days')`,
  );
  await drop(90);
  assert.deepEqual(
    await partitions(),
    [...present, old, recent].sort(),
    'a message still waits in the oldest',
  );

  await database.asOwner(`update queue_group set head_at = null`);
  await drop(90);
  assert.deepEqual(await partitions(), [...present, recent].sort());
  const left = await database.asOwner('select from queue_message');
  assert.equal(left.length, 1);

  await drop(30);
  assert.deepEqual(await partitions(), present);
});

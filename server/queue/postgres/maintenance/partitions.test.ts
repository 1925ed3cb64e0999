import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { messageRetentionMs } from '../../policy.ts';
import { dropPartitions, expireMessages, makePartitions } from '../store.ts';

const { database, queue, send, drain } = await createTestQueue();
const { worker, asOwner } = database;

const partitions = async (): Promise<string[]> => {
  const rows = await asOwner<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'queue_message'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
};

const drop = (days: number): Promise<void> => worker.withScope('service', (tx) => dropPartitions(tx, days));

test('a week past the retention is dropped, unless something in it still waits', async () => {
  const before = await partitions();
  const week = `date_trunc('week', now() - interval '35 days', 'UTC')`;
  const [made] = await asOwner<{ name: string }>(
    `select 'queue_message_' || to_char(${week}, 'IYYY_IW') as name`,
  );
  const name = made?.name ?? '';
  await asOwner(`do $$ begin
    execute format('create table ${name} partition of queue_message for values from (%L) to (%L)',
      ${week}, ${week} + interval '7 days');
    execute format('create table ${name.replace('message', 'segment')} partition of queue_segment for values from (%L) to (%L)',
      ${week}, ${week} + interval '7 days'); end $$`);

  const groupId = randomUUID();
  await send(groupId, 'not taken for five weeks');
  await asOwner(
    `with old as (
       update queue_message set accepted_at = ${week} + interval '1 day'
       where seq = (select max(seq) from queue_message) returning segment_id)
     update queue_segment set accepted_at = ${week} + interval '1 day' where segment_id in (select segment_id from old)`,
  );
  await asOwner(`update queue_group set head_at = ${week} + interval '1 day' where group_id = $1`, [groupId]);
  await drop(7);
  assert.ok((await partitions()).includes(name), 'something in it waits');

  assert.equal(await worker.withScope('service', (tx) => expireMessages(tx, messageRetentionMs, 100)), 1);
  await drop(60);
  assert.ok((await partitions()).includes(name), 'within the retention');
  await drop(7);
  assert.deepEqual(await partitions(), before);
  assert.equal(await queue.deadLetters.redrive({ groupId }), 1);
  assert.deepEqual(await drain(), ['not taken for five weeks'], 'a dead letter does not need the partition');
});

test('partitions are created once when several processes start', async () => {
  const before = await partitions();
  await Promise.all(Array.from({ length: 4 }, () => worker.withScope('service', makePartitions)));
  await Promise.all(Array.from({ length: 4 }, () => database.api.withScope('service', makePartitions)));
  assert.deepEqual(await partitions(), before);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { addWeek, ageMessages, messageWeeks } from '#test/support/queue/old-weeks.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { messageRetentionMs } from '../../policy.ts';
import { dropPartitions, expireMessages, makePartitions } from '../store.ts';

const { database, queue, send, drain } = await createTestQueue();
const { worker } = database;

const partitions = () => messageWeeks(database);
const drop = (days: number): Promise<void> => worker.withScope('service', (tx) => dropPartitions(tx, days));

test('weeks past the retention are dropped, unless something in them still waits', async () => {
  const before = await partitions();
  const [old, recent] = [await addWeek(database, 120), await addWeek(database, 60)];
  const groupId = randomUUID();
  await send(groupId, 'not taken for months');
  await ageMessages(database, groupId, '120 days');
  await drop(90);
  assert.deepEqual(await partitions(), [...before, old, recent].sort(), 'something in the oldest waits');

  assert.equal(await worker.withScope('service', (tx) => expireMessages(tx, messageRetentionMs, 100)), 1);
  await drop(150);
  assert.deepEqual(await partitions(), [...before, old, recent].sort(), 'within the retention');
  await drop(90);
  assert.deepEqual(await partitions(), [...before, recent].sort());
  await drop(30);
  assert.deepEqual(await partitions(), before);
  assert.equal(await queue.deadLetters.redrive({ groupId }), 1);
  assert.deepEqual(await drain(), ['not taken for months'], 'a dead letter does not need the partition');
});

test('partitions are created once when several processes start', async () => {
  const before = await partitions();
  await Promise.all(Array.from({ length: 4 }, () => worker.withScope('service', makePartitions)));
  await Promise.all(Array.from({ length: 4 }, () => database.api.withScope('service', makePartitions)));
  assert.deepEqual(await partitions(), before);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { sweepBatch } from '../../policy.ts';
import { waitingSessions } from '#test/support/database/waiting-sessions.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { newestDeadLetter, redriveDeadLetters, takeNewDeadLetters } from './dead-letter-store.ts';

const { database, queue, send, take, drain } = await createTestQueue();

async function fail(groupId: string, texts: readonly string[]): Promise<void> {
  await Promise.all(texts.map((text) => send(groupId, text)));
  for (let left = texts.length; left > 0;) {
    const batch = await take();
    await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
    left -= batch.records.length;
  }
}

test('more dead letters than fit one transaction are retried in order', async () => {
  const texts = Array.from({ length: sweepBatch + 20 }, (_, index) => String(index));
  const groupId = randomUUID();
  await fail(groupId, texts);
  assert.equal(await queue.deadLetters.redrive({ groupId }), texts.length);
  assert.deepEqual(await drain(), texts);
});

test('a message that dies during a redrive is not redriven by it again', async () => {
  const groupId = randomUUID();
  await fail(groupId, ['before']);
  const newest = await database.worker.withScope('service', newestDeadLetter);
  await fail(groupId, ['meanwhile']);
  const redrive = () =>
    database.worker.withScope('service', (tx) => redriveDeadLetters(tx, { groupId }, newest, 10));
  assert.deepEqual([await redrive(), await redrive()], [1, 0]);
  assert.deepEqual(await drain(), ['before']);
  assert.equal(await queue.deadLetters.drop({ groupId }), 1);
});

test('a dead letter that is being reported is retried', async () => {
  const groupId = randomUUID();
  await fail(groupId, ['reported']);
  let redriven: Promise<number> | undefined;
  await database.worker.withScope('service', async (tx) => {
    await takeNewDeadLetters(tx);
    let isDone = false;
    redriven = queue.deadLetters.redrive({ groupId }).finally(() => (isDone = true));
    await waitUntil(
      'the retry to wait or to end',
      async () => isDone || (await waitingSessions(database)) > 0,
    );
  });
  assert.equal(await redriven, 1);
  assert.deepEqual(await drain(), ['reported']);
});

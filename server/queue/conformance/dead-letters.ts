import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { driveQueue, textOf } from './driver.ts';
import type { Queue } from '../queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

/** The part of the conformance suite about messages that could not be processed. */
export function describeDeadLetters(
  guarantee: (text: string, run: () => Promise<void>) => void,
  queue: Queue,
): void {
  const { send, receive, receiveSome, drain, deadLettersOf } = driveQueue(queue);

  guarantee('a failed message becomes a dead letter with its reason and its group continues', async () => {
    const groupId = randomUUID();
    await Promise.all([send(groupId, 'good 1'), send(groupId, 'bad', 'bad-id'), send(groupId, 'good 2')]);
    const batch = await receiveSome();
    const bad = batch.records.find((record) => textOf(record) === 'bad');
    assert.ok(bad);
    await batch.settle([
      { messageId: bad.messageId, reason: 'invalid_payload', detail: 'workflow_run.id must be an integer' },
    ]);
    const [deadLetter, ...others] = await deadLettersOf(groupId);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [deadLetter?.messageId, deadLetter?.reason, deadLetter?.detail, deadLetter?.groupId],
      [bad.messageId, 'invalid_payload', 'workflow_run.id must be an integer', groupId],
    );
    assert.equal(await receive(0), undefined);
    await queue.deadLetters.drop({ groupId });
  });

  guarantee('a redelivery of a failed message is processed, and the next one is a duplicate', async () => {
    const groupId = randomUUID();
    await send(groupId, 'bad', 'same');
    const batch = await receiveSome();
    await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
    assert.equal(await send(groupId, 'again', 'same'), 'queued');
    assert.deepEqual(await drain(), new Map([[groupId, ['again']]]));
    assert.equal(await send(groupId, 'a third time', 'same'), 'duplicate');
    assert.equal(await queue.deadLetters.redrive({ groupId }), 1);
    assert.deepEqual(await drain(), new Map(), 'a redelivered and processed message is not processed twice');
    assert.deepEqual(await deadLettersOf(groupId), []);
  });

  guarantee('one of several dead letters of one delivery is processed', async () => {
    const groupId = randomUUID();
    for (const text of ['first', 'second']) {
      await send(groupId, text, 'same');
      const batch = await receiveSome();
      await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
    }
    assert.equal((await deadLettersOf(groupId)).length, 2);
    await queue.deadLetters.redrive({ groupId });
    assert.deepEqual(await drain(), new Map([[groupId, ['second']]]));
    assert.deepEqual(await deadLettersOf(groupId), []);
  });

  guarantee('dead letters are redriven at the end of their group, or dropped', async () => {
    const groupId = randomUUID();
    await send(groupId, 'failing 1');
    await send(groupId, 'failing 2');
    const batch = await receiveSome();
    await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'refused_by_store' })));
    const [first, second] = await deadLettersOf(groupId);
    assert.ok(first && second);
    await send(groupId, 'before');
    assert.equal(await queue.deadLetters.redrive({ groupId, messageIds: [first.messageId] }), 1);
    await send(groupId, 'after');
    assert.deepEqual(await drain(), new Map([[groupId, ['before', 'failing 1', 'after']]]));
    assert.equal(
      await queue.deadLetters.drop({ groupId: randomUUID(), messageIds: [second.messageId] }),
      0,
      'not of that group',
    );
    assert.equal(await queue.deadLetters.drop({ groupId }), 1);
    assert.deepEqual(await deadLettersOf(groupId), []);
  });

  guarantee('dead letters are listed in pages, and an unknown id changes nothing', async () => {
    const groupId = randomUUID();
    await Promise.all(Array.from({ length: 5 }, (_, index) => send(groupId, String(index))));
    const batch = await receiveSome();
    await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'invalid_json' })));
    const all = await deadLettersOf(groupId);
    const page = await queue.deadLetters.list({ groupId, limit: 2 });
    const rest = await queue.deadLetters.list({ groupId, after: page.at(-1)?.messageId ?? '' });
    assert.deepEqual([...page, ...rest], all);
    const messageIds = [all[3]?.messageId ?? '', 'no id at all'];
    assert.deepEqual(await queue.deadLetters.list({ groupId, messageIds }), [all[3]]);
    assert.deepEqual(await queue.deadLetters.list({ groupId: randomUUID(), messageIds }), []);
    assert.equal(await queue.deadLetters.drop({ groupId, messageIds: ['no id at all'] }), 0);
    assert.equal(await queue.deadLetters.redrive({ groupId, messageIds: ['99999999999999999999', ''] }), 0);
    assert.equal(await queue.deadLetters.drop({ groupId }), 5);
  });

  guarantee('depth counts waiting, leased and dead messages', async () => {
    const groupId = randomUUID();
    await queue.ping();
    const before = await queue.depth();
    await Promise.all(Array.from({ length: 11 }, (_, index) => send(groupId, String(index))));
    const batch = await receiveSome();
    const during = await queue.depth();
    assert.deepEqual([during.ready - before.ready, during.inFlight - before.inFlight], [1, 10]);
    await batch.settle(
      batch.records.slice(0, 2).map(({ messageId }) => ({ messageId, reason: 'invalid_json' })),
    );
    await drain();
    const after = await queue.depth();
    assert.deepEqual([after.ready, after.inFlight, after.dead - before.dead], [0, 0, 2]);
    await queue.deadLetters.drop({ groupId });
  });

  guarantee(
    'a message whose receiver died is received once more alone, then becomes a dead letter',
    async () => {
      const groupId = randomUUID();
      await send(groupId, 'kills its worker');
      await receiveSome();
      const startedAt = Date.now();
      const again = await receive(60_000);
      assert.ok(Date.now() - startedAt < 30_000, 'the receiver was not woken');
      assert.deepEqual(again?.records.map(textOf), ['kills its worker']);
      await waitUntil('the dead letter', async () => (await deadLettersOf(groupId)).length === 1);
      const [deadLetter] = await deadLettersOf(groupId);
      assert.equal(deadLetter?.reason, 'abandoned');
      assert.equal(await receive(0), undefined);
      await queue.deadLetters.drop({ groupId });
    },
  );
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import type { Database } from '#platform/database/database.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { waitingSessions } from '#test/support/database/waiting-sessions.ts';
import { appendMessages } from './append.ts';

const { database, sealer, queue, open, send, take, drain } = await createTestQueue();
const signal = new AbortController().signal;
const receive = (waitMs: number, waitsFirst = false) =>
  queue.receive({ maxMessages: 10, waitMs, signal, waitsFirst });

/** An append whose commit is under way until `commit` is called. */
async function appendSlowly(groupId: string, text: string): Promise<{ commit(): Promise<void> }> {
  const hold = Promise.withResolvers<void>();
  const appended = Promise.withResolvers<void>();
  const committed = database.worker.withScope('service', async (tx) => {
    const db = { statement: tx.query } as unknown as Database;
    const body = Buffer.from(JSON.stringify(text));
    await appendMessages({ db, sealer }, [{ groupId, deduplicationId: randomUUID(), body }]);
    appended.resolve();
    await hold.promise;
  });
  await Promise.race([appended.promise, committed]);
  return {
    commit: () => {
      hold.resolve();
      return committed;
    },
  };
}

test('a message is numbered after those whose commit is under way, so that none is passed over', async () => {
  const groupId = randomUUID();
  const first = await appendSlowly(groupId, 'first');
  let isSent = false;
  const second = send(groupId, 'second').then(() => (isSent = true));
  await waitUntil('the second to wait', async () => isSent || (await waitingSessions(database)) > 0);
  assert.equal(isSent, false, 'it would be received, and the cursor moved over the first');
  await first.commit();
  await second;
  assert.deepEqual(await drain(), ['first', 'second']);
});

test('pending messages are received while others are appended to their group', async () => {
  const groupId = randomUUID();
  await send(groupId, 'there');
  const more = await appendSlowly(groupId, 'more');
  const batch = await take();
  assert.equal(batch.records.length, 1);
  await batch.settle([]);
  await more.commit();
  assert.deepEqual(await drain(), ['more']);
});

test('a group found empty while something is being appended to it is not forgotten', async () => {
  const groupId = randomUUID();
  await send(groupId, 'before');
  const batch = await take();
  await batch.settle([]);
  const more = await appendSlowly(groupId, 'more');
  assert.equal(await receive(0), undefined);
  await more.commit();
  assert.deepEqual(await drain(), ['more']);
});

test('a group that leaves the line while something is being appended to it is not forgotten', async () => {
  const groupId = randomUUID();
  const both = open();
  const waiting = both.receive({ maxMessages: 10, waitMs: 600_000, signal, waitsFirst: true });
  await both.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from('"before"') });
  const claim = await waiting;
  const more = await appendSlowly(groupId, 'more');
  await claim?.settle([]);
  await more.commit();
  assert.equal(claim?.isLast, false, 'a message may follow');
  assert.deepEqual(await drain(), ['more']);
});

test('a group leaves the line only while nothing is behind its cursor', async () => {
  const groupId = randomUUID();
  await send(groupId, 'just committed');
  await database.asOwner(
    `select queue_leave_line(group_no, done_seq, head_at - interval '1 day') from queue_group where group_id = $1`,
    [groupId],
  );
  assert.deepEqual(await drain(), ['just committed']);
});

test('several processes at once: each message is received once, and in the order of its sender', async () => {
  const groups = Array.from({ length: 12 }, () => randomUUID());
  const perSender = 400;
  const senders = [queue, open(), open({ db: database.api })];
  const received = new Map<string, number[]>();
  let count = 0;

  const sendAll = async (from: typeof queue, sender: number): Promise<void> => {
    const inFlight: Promise<unknown>[] = [];
    for (let index = 0; index < perSender; index += 1) {
      const groupId = groups[(index * (sender + 5)) % groups.length] as string;
      const body = Buffer.from(JSON.stringify([sender, index]));
      inFlight.push(from.send({ groupId, deduplicationId: `${sender} ${index}`, body }));
      if (index % 90 === 0) await nextTurn();
    }
    await Promise.all(inFlight);
  };
  const receiveAll = async (): Promise<void> => {
    for (let waitsFirst = false; count < perSender * senders.length;) {
      const batch = await receive(20, waitsFirst);
      for (const { body, attributes } of batch?.records ?? []) {
        const [sender, index] = JSON.parse(body) as [number, number];
        const key = `${sender} ${attributes.MessageGroupId}`;
        received.set(key, [...(received.get(key) ?? []), index]);
        count += 1;
      }
      await batch?.settle([]);
      waitsFirst = batch?.isLast ?? false;
    }
  };
  await Promise.all([...senders.map(sendAll), receiveAll(), receiveAll(), receiveAll()]);
  assert.equal(count, perSender * senders.length);
  assert.equal(await receive(0), undefined);
  for (const indexes of received.values())
    assert.deepEqual(
      indexes,
      indexes.toSorted((a, b) => a - b),
    );
});

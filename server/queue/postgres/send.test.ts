import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { deleteRows } from '#test/support/database/rows.ts';
import { addOldWeeks, messageWeeks } from '#test/support/queue/old-weeks.ts';
import { queuedDeliveries } from '#test/support/queue/idle-queue.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, queue, open, send, take, drain } = await createTestQueue();

test('a send whose connection is cut is not half accepted: every resolved one is there once, a repeat is a duplicate', async () => {
  const groupIds = Array.from({ length: 7 }, () => randomUUID());
  const body = Buffer.from(JSON.stringify('x'.repeat(5000)));
  const ids: string[] = [];
  const accepted = new Set<string>();
  const failed: string[] = [];
  const sendOne = (id: string, index: number): Promise<void> =>
    queue.send({ groupId: groupIds[index % groupIds.length] as string, deduplicationId: id, body }).then(
      () => void accepted.add(id),
      () => void failed.push(id),
    );
  const cut = () =>
    database.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename = 'forgewatch_worker' and datname = current_database() and state = 'active'`,
    );
  // A cut meets a flush at any point of its way, or misses it; so until they met some.
  for (let waves = 0; failed.length < 100 && waves < 200; waves += 1) {
    const wave = Array.from({ length: 50 }, () => ids.push(randomUUID()) - 1);
    const outcomes = accepted.size + failed.length + wave.length;
    const sends = Promise.all(wave.map((index) => sendOne(ids[index] as string, index)));
    while (accepted.size + failed.length < outcomes) await cut();
    await sends;
  }
  assert.ok(failed.length >= 100, `${failed.length} of ${ids.length} failed`);
  await waitUntil('all to be accepted', async () => {
    await Promise.all(ids.map((id, index) => (accepted.has(id) ? undefined : sendOne(id, index))));
    return accepted.size === ids.length;
  });
  assert.deepEqual((await queuedDeliveries(database)).toSorted(), ids.toSorted());
  await drain();
});

test('a failed send rejects everybody who shared it, and none of it is there', async () => {
  const groupId = randomUUID();
  const attempts = ['one', 'bad \u0000 id', 'three'].map((deduplicationId) =>
    queue.send({ groupId, deduplicationId, body: Buffer.from('"x"') }),
  );
  const outcomes = await Promise.allSettled(attempts);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.deepEqual(await queuedDeliveries(database, groupId), []);
});

test('a delivery is known for 25 hours; after that it is a new one', async () => {
  const groupId = randomUUID();
  const sendAgain = () => queue.send({ groupId, deduplicationId: 'same', body: Buffer.from('"x"') });
  const ageBy = (age: string) =>
    database.asOwner(`update queue_message set accepted_at = clock_timestamp() - $1::interval`, [age]);
  await deleteRows(database, 'queue_message');
  await addOldWeeks(database);
  assert.equal(await sendAgain(), 'queued');
  await drain();
  await ageBy('24 hours 59 minutes');
  assert.equal(await sendAgain(), 'duplicate');
  await ageBy('25 hours 1 minute');
  assert.equal(await sendAgain(), 'queued');
  await drain();
});

test('at rest a body is sealed: no table holds a word of it', async () => {
  const groupId = randomUUID();
  const word = `needle-${randomUUID()}`;
  await send(groupId, word);
  const batch = await take();
  await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'invalid_json' })));
  for (const [table, key] of [
    ['queue_segment', 'segment_id'],
    ['dead_letter', 'message_id'],
  ] as const) {
    const rows = await database.asOwner<{ body: Buffer; row: string }>(
      `select body, t::text as row from ${table} t order by ${key} desc limit 1`,
    );
    assert.equal(rows.length, 1, table);
    assert.equal(rows[0]?.body.includes('needle'), false, table);
    assert.equal(rows[0]?.row.includes('needle'), false, table);
  }
  await queue.deadLetters.drop({ groupId });
});

test('a sender creates the partition it needs when no worker runs', async () => {
  for (const name of await messageWeeks(database))
    await database.asOwner(`drop table ${name}, ${name.replace('message', 'segment')}`);
  const sender = open({ db: database.api });
  await sender.start();
  assert.equal(
    await sender.send({ groupId: randomUUID(), deduplicationId: 'x', body: Buffer.from('"x"') }),
    'queued',
  );
  await sender.stop();
  await drain();
});

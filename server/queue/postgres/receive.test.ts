import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/migrate.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { testMasterKey } from '#test/support/database/test-database.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { maxMessageBytes } from '../policy.ts';
import type { Claim, Queue } from '../queue.ts';
import { makeWakeUp, type WakeUp } from './wake-up.ts';

const { database, queue, open, send, take, drain } = await createTestQueue();
const signal = new AbortController().signal;
/** Undefined unless it is woken: at the end of its wait a receiver looks once more. */
const receiveWhenWoken = (from: Queue): Promise<Claim | undefined> =>
  from.receive({ maxMessages: 10, waitMs: 600_000, signal: AbortSignal.timeout(20_000) });
/** Sends to a receiver that waits in the same process. Fails when the send does not lease the message. */
async function handOver(queue: Queue, groupId: string, body: string): Promise<Claim> {
  const signal = AbortSignal.timeout(20_000);
  const waiting = queue.receive({ maxMessages: 10, waitMs: 600_000, signal, waitsFirst: true });
  await queue.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from(body) });
  const { inFlight } = await queue.depth();
  const claim = await waiting;
  assert.equal(inFlight, 1, 'the message was leased by its send');
  assert.ok(claim !== undefined);
  return claim;
}
const groupsOf = (batch: Awaited<ReturnType<typeof take>>): Set<string> =>
  new Set(batch.records.map(({ attributes }) => attributes.MessageGroupId));

test('effects and removal commit together: a transaction that is rolled back leaves the batch leased', async () => {
  await send(randomUUID(), 'once');
  const batch = await take();
  const failing = database.worker.withScope('service', async (tx) => {
    await batch.settle([], tx);
    throw new Error('the effects failed');
  });
  await assert.rejects(failing, /the effects failed/);
  assert.equal((await queue.depth()).inFlight, 1);
  await database.worker.withScope('service', (tx) => batch.settle([], tx));
  assert.equal((await queue.depth()).inFlight, 0);
});

test('a group that is sent to without a pause is received from all the same', async () => {
  const groupId = randomUUID();
  const flooding = new AbortController();
  let sent = 0;
  const flood = Array.from({ length: 16 }, async () => {
    while (!flooding.signal.aborted) {
      await send(groupId, String(sent));
      sent += 1;
    }
  });
  // An append holds the group all the time: with one commit in flight and the next one waiting for it.
  let received = 0;
  for (let turns = 0; turns < 20; turns += 1) {
    const batch = await queue.receive({ maxMessages: 10, waitMs: 200, signal });
    received += batch?.records.length ?? 0;
    await batch?.settle([]);
  }
  flooding.abort();
  await Promise.all(flood);
  assert.ok(received >= 100, `${received} of ${sent} received in 20 turns`);
  await drain();
});

test('a group that floods the queue does not keep a small one waiting', async () => {
  const [flood, small] = [randomUUID(), randomUUID()];
  await Promise.all(Array.from({ length: 200 }, (_, index) => send(flood, String(index))));
  await send(small, 'small');
  let batches = 0;
  for (let found = false; !found; batches += 1) {
    const batch = await take();
    found = groupsOf(batch).has(small);
    await batch.settle([]);
  }
  assert.ok(batches <= 2, `the small group waited for ${batches} batches`);
  await drain();
});

test('a batch holds as few groups as there can be', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  for (let index = 0; index < 8; index += 1) {
    await send(one, `one ${index}`);
    await send(two, `two ${index}`);
  }
  const batch = await take();
  assert.deepEqual(
    batch.records.map(({ body }) => JSON.parse(body) as string),
    [...Array.from({ length: 8 }, (_, index) => `one ${index}`), 'two 0', 'two 1'],
  );
  await batch.settle([]);
  await drain();
});

test('a clock that was set back hides no message', async () => {
  const groupId = randomUUID();
  await send(groupId, 'first');
  await send(groupId, 'second');
  // The first one is moved forward: the partition of the past week exists only while the database is older.
  await database.asOwner(
    `with head as (
       update queue_group set head_at = head_at + interval '3 hours' where group_id = $1 returning group_no),
     first as (
       update queue_message set accepted_at = accepted_at + interval '3 hours'
       where seq = (select min(m.seq) from queue_message m join head using (group_no)) returning segment_id)
     update queue_segment set accepted_at = accepted_at + interval '3 hours'
     where segment_id = (select segment_id from first)`,
    [groupId],
  );
  assert.deepEqual(await drain(), ['first', 'second']);
});

test('a body that does not open goes to the dead letters by itself, the rest of the batch is given out', async () => {
  const groupId = randomUUID();
  const stranger = open({ sealer: makeSealer([randomBytes(32)]) });
  const sendStrange = () =>
    stranger.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from('"strange"') });
  await sendStrange();
  await send(groupId, 'readable');
  const batch = await take();
  assert.deepEqual(
    batch.records.map(({ body }) => body),
    ['"readable"'],
  );
  await batch.settle([]);
  await sendStrange();
  assert.deepEqual(await drain(), []);
  const deadLetters = await queue.deadLetters.list({ groupId });
  assert.deepEqual(
    deadLetters.map(({ reason }) => reason),
    ['unreadable', 'unreadable'],
  );
  await queue.deadLetters.drop({ groupId });
});

test('more than one batch wakes more than one receiver', async () => {
  const waiting = [1, 2, 3].map(() => receiveWhenWoken(queue));
  const groups = [randomUUID(), randomUUID(), randomUUID()];
  await Promise.all(groups.flatMap((groupId) => Array.from({ length: 10 }, () => send(groupId, 'x'))));
  const batches = await Promise.all(waiting);
  assert.deepEqual(
    batches.map((batch) => batch?.records.length),
    [10, 10, 10],
  );
  for (const batch of batches) await batch?.settle([]);
});

test('a receiver hears of messages that another process sent', async () => {
  const log = pino({ level: 'silent' });
  const listener = makeListener(roleConnection(database.url, 'forgewatch_worker', testMasterKey), log);
  const receiver = open({ listener });
  await listener.start();
  const waiting = receiveWhenWoken(receiver);
  const sender = open({ db: database.api });
  await sender.send({ groupId: randomUUID(), deduplicationId: 'x', body: Buffer.from('"from afar"') });
  const batch = await waiting;
  assert.deepEqual(
    batch?.records.map(({ body }) => body),
    ['"from afar"'],
  );
  await batch?.settle([]);
  await sender.stop();
  await listener.stop();
});

test('other processes are notified at once, and only about messages that no local receiver takes', async () => {
  const heard: string[] = [];
  const log = pino({ level: 'silent' });
  const listener = makeListener(roleConnection(database.url, 'forgewatch_worker', testMasterKey), log);
  listener.on('queue_ready', (sender) => heard.push(sender));
  await listener.start();
  const wakeUp = makeWakeUp();
  const asleep = Promise.withResolvers<void>();
  const sleep: WakeUp['sleep'] = (...args) => {
    asleep.resolve();
    return wakeUp.sleep(...args);
  };
  const both = open({ wakeUp: { ...wakeUp, sleep } });
  const sendOne = () =>
    both.send({ groupId: randomUUID(), deduplicationId: randomUUID(), body: Buffer.from('"x"') });
  const waiting = receiveWhenWoken(both);
  await asleep.promise;
  await sendOne();
  await (await waiting)?.settle([]);
  await sendOne();
  await both.stop();
  await waitUntil('the notification', () => heard.length > 0);
  assert.equal(heard.length, 1);
  await drain();
  await listener.stop();
});

test('a claim takes ten messages of each group, and more when few groups wait', async () => {
  const groups = Array.from({ length: 8 }, () => randomUUID());
  const claim = async () => {
    const claimed = await queue.receive({ maxMessages: 40, waitMs: 0, signal });
    await claimed?.settle([]);
    const byGroup = Map.groupBy(claimed?.records ?? [], ({ attributes }) => attributes.MessageGroupId);
    return [...byGroup.values()].map(({ length }) => length);
  };
  for (const groupId of groups)
    for (let index = 0; index < 11; index += 1) await send(groupId, 'one of many');
  assert.deepEqual(await claim(), [10, 10, 10, 10]);
  await drain();
  for (const groupId of groups.slice(0, 2))
    for (let index = 0; index < 25; index += 1) await send(groupId, 'one of few');
  assert.deepEqual(await claim(), [20, 20]);
  await drain();
});

test('a claim takes some megabytes at most', async () => {
  const groupId = randomUUID();
  const text = 'x'.repeat(maxMessageBytes - 1024);
  for (let index = 0; index < 10; index += 1) await send(groupId, text);
  const first = await queue.receive({ maxMessages: 40, waitMs: 0, signal });
  assert.ok(first !== undefined && first.records.length < 10, `${first?.records.length} messages`);
  await first.settle([]);
  assert.equal((await drain()).length, 10 - first.records.length);
});

test('messages that were sent together are received by a process that sent none of them', async () => {
  const groups = Array.from({ length: 20 }, () => randomUUID());
  await Promise.all(groups.map((groupId, index) => send(groupId, String(index))));
  const other = open();
  const claim = await other.receive({ maxMessages: 40, waitMs: 0, signal });
  const received = claim?.records.map(({ body, attributes }) => [
    attributes.MessageGroupId,
    JSON.parse(body) as string,
  ]);
  assert.deepEqual(received?.toSorted(), groups.map((groupId, index) => [groupId, String(index)]).toSorted());
  await claim?.settle([]);
});

test('a message whose row names the place of another group does not open', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  await Promise.all([send(one, 'of one'), send(two, 'of two')]);
  const rows = await database.asOwner<{ seq: string }>(
    `update queue_message m set body_start = o.body_start, body_length = o.body_length
     from queue_message o join queue_group g using (group_no)
     where g.group_id = $2 and o.segment_id = m.segment_id
       and m.group_no = (select group_no from queue_group where group_id = $1) returning m.seq`,
    [one, two],
  );
  assert.equal(rows.length, 1, 'both messages are in one segment');
  const claim = await open().receive({ maxMessages: 10, waitMs: 0, signal });
  assert.deepEqual(
    claim?.records.map(({ body }) => body),
    ['"of two"'],
  );
  await claim?.settle([]);
  const deadLetters = await queue.deadLetters.list({ groupId: one });
  assert.deepEqual(
    deadLetters.map(({ reason }) => reason),
    ['unreadable'],
  );
  await queue.deadLetters.drop({ groupId: one });
});

test('a message for a receiver that waits in its process is leased when its send resolves', async () => {
  const both = open();
  const waiting = receiveWhenWoken(both);
  await waitUntil('the receiver to wait', async () => {
    const groupId = randomUUID();
    await both.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from('"x"') });
    return (await queue.depth()).inFlight === 1;
  });
  const claim = await waiting;
  assert.deepEqual(
    claim?.records.map(({ body }) => body),
    ['"x"'],
  );
  await claim?.settle([]);
  await drain();
});

test('a group without more messages is idle when its handed-over message is settled', async () => {
  const both = open();
  const groupId = randomUUID();
  const first = await handOver(both, groupId, '"1"');
  await first.settle([]);
  assert.equal(first.isLast, true);
  // Only the message of an idle group is handed over.
  const second = await handOver(both, groupId, '"2"');
  await both.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from('"3"') });
  await second.settle([]);
  assert.equal(second.isLast, false);
  assert.deepEqual(await drain(), ['3']);
});

test('a settle that is rolled back leaves a handed-over group leased', async () => {
  const claim = await handOver(open(), randomUUID(), '"x"');
  const failing = database.worker.withScope('service', async (tx) => {
    await claim.settle([], tx);
    throw new Error('the effects failed');
  });
  await assert.rejects(failing, /the effects failed/);
  assert.equal((await queue.depth()).inFlight, 1);
  await claim.settle([]);
  assert.deepEqual(await drain(), []);
});

test('a receiver that waits is not given more messages than it asked for', async () => {
  const both = open();
  const waiting = both.receive({ maxMessages: 2, waitMs: 600_000, signal: AbortSignal.timeout(20_000) });
  const groups = Array.from({ length: 5 }, () => randomUUID());
  const body = Buffer.from('"x"');
  await Promise.all(groups.map((groupId) => both.send({ groupId, deduplicationId: 'x', body })));
  const claim = await waiting;
  assert.equal(claim?.records.length, 2);
  await claim.settle([]);
  assert.equal((await drain()).length, 3);
});

test('a receiver whose process fails to send goes on waiting', async () => {
  const both = open();
  const waiting = receiveWhenWoken(both);
  await assert.rejects(both.send({ groupId: 'bad \u0000', deduplicationId: 'x', body: Buffer.from('"x"') }));
  await both.send({ groupId: randomUUID(), deduplicationId: 'x', body: Buffer.from('"after it"') });
  const claim = await waiting;
  assert.deepEqual(
    claim?.records.map(({ body }) => body),
    ['"after it"'],
  );
  await claim?.settle([]);
});

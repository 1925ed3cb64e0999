import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { maxMessageBytes } from '../policy.ts';

const { database, sealer, queue, open, send, take, drain } = await createTestQueue();
const signal = new AbortController().signal;
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

test('a claim leaves the groups that it does not take to a claim beside it', async () => {
  const groups = Array.from({ length: 3 }, () => randomUUID());
  for (const groupId of groups) for (let index = 0; index < 10; index += 1) await send(groupId, 'one of ten');
  const claiming = database.worker.withScope('service', async (tx) => {
    await tx.query(`select queue_claim(10, 10, 1000000, interval '1 hour', gen_random_uuid(), '{}')`);
    const beside = await queue.receive({ maxMessages: 10, waitMs: 0, signal });
    assert.equal(beside?.records.length, 10);
    await beside.settle([]);
    throw new Error('rolled back');
  });
  await assert.rejects(claiming, /rolled back/);
  assert.equal((await drain()).length, 20);
});

test('a claim sees a message that was sent before it could lock its group', async () => {
  const groupId = randomUUID();
  await send(groupId, 'first');
  // A claim between the moment whose rows it sees and its first lock.
  const definition = await database.asOwner<{ text: string }>(
    `select pg_get_functiondef('queue_claim'::regproc) as text`,
  );
  const slow = definition[0]!.text
    .replace('FUNCTION public.queue_claim', 'FUNCTION slow_claim')
    .replace(
      'where q.ready_at is not null and',
      'where q.ready_at is not null and pg_advisory_xact_lock_shared(7) is not null and',
    );
  await database.asOwner(slow);
  await database.asOwner('grant execute on function slow_claim to forgewatch_worker');
  const { claim, waiting } = await database.worker.withScope('service', async (tx) => {
    await tx.query('select pg_advisory_xact_lock(7)');
    const waiting = database.worker.withScope('service', (other) =>
      other.column<string>(
        `select seq from slow_claim(10, 10, 1000000, interval '1 hour', gen_random_uuid(), '{}')`,
      ),
    );
    await waitUntil('its lock', async () => {
      const locks = await database.asOwner(
        `select from pg_locks where locktype = 'advisory' and not granted`,
      );
      return locks.length > 0;
    });
    const claim = await take();
    await claim.settle([]);
    await send(groupId, 'second');
    return { claim, waiting };
  });
  assert.equal(claim.records.length, 1);
  assert.equal((await waiting).length, 1);
});

test('claims beside each other open each segment once', async () => {
  const groups = Array.from({ length: 4 }, () => randomUUID());
  await Promise.all(groups.map((groupId, index) => send(groupId, String(index))));
  let opened = 0;
  const other = open({
    sealer: {
      ...sealer,
      open: (...sealed) => {
        opened += 1;
        return sealer.open(...sealed);
      },
    },
  });
  const claims = await Promise.all([1, 2].map(() => other.receive({ maxMessages: 2, waitMs: 0, signal })));
  assert.deepEqual([claims.map((claim) => claim?.records.length), opened], [[2, 2], 1]);
  for (const claim of claims) await claim?.settle([]);
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

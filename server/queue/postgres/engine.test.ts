import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import pino from 'pino';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/migrate.ts';
import { makeSealer } from '#platform/runtime/sealing.ts';
import { createTestDatabase, testMasterKey } from '#test/support/test-database.ts';
import { waitUntil } from '#test/support/wait-until.ts';
import { describeQueueConformance } from '../conformance.ts';
import { LeaseLostError, type ReceivedBatch } from '../queue.ts';
import { makePostgresQueue } from './engine.ts';

const visibilityTimeoutMs = 500;
const database = await createTestDatabase();
const log = pino({ level: 'silent' });
const sealer = makeSealer([randomBytes(32)]);
const options = { sealer, log, visibilityTimeoutMs, retentionDays: 90 };
const queue = makePostgresQueue({ ...options, db: database.worker, sweeps: true });
await queue.start();
after(() => queue.stop());

describeQueueConformance('Postgres', queue, visibilityTimeoutMs);

/** A queue whose leases outlast every test: nothing is taken back while a test looks at it. */
const patient = makePostgresQueue({ ...options, db: database.worker, visibilityTimeoutMs: 600_000 });
const signal = new AbortController().signal;

async function take(from = patient): Promise<ReceivedBatch> {
  const batch = await from.receive({ maxMessages: 10, waitMs: 5000, signal });
  assert.ok(batch, 'nothing was received');
  return batch;
}

const send = (groupId: string, text: string) =>
  patient.send({ groupId, deduplicationId: randomUUID(), body: Buffer.from(JSON.stringify(text)) });

test('effects and removal commit together: a transaction that is rolled back leaves the batch leased', async () => {
  await send(randomUUID(), 'once');
  const batch = await take();
  const failing = database.worker.withScope('service', async (tx) => {
    await batch.settle([], tx);
    throw new Error('the effects failed');
  });
  await assert.rejects(failing, /the effects failed/);
  assert.equal((await patient.depth()).inFlight, 1);
  await database.worker.withScope('service', (tx) => batch.settle([], tx));
  assert.equal((await patient.depth()).inFlight, 0);
});

test('a batch that outlives its lease can no longer be settled', async () => {
  const groupId = randomUUID();
  await send(groupId, 'slow');
  const batch = await take();
  await database.asOwner(
    `update queue_group set lease_until = now() - interval '1 second' where group_id = $1`,
    [groupId],
  );
  await waitUntil('the lease to be taken back', async () => (await queue.depth()).ready === 1);
  await assert.rejects(batch.settle([]), LeaseLostError);
  const again = await take();
  assert.equal(again.records.length, 1);
  await again.settle([]);
});

test('what nobody took within a day is dead with the reason expired, newer messages of the group are not', async () => {
  const groupId = randomUUID();
  const held = randomUUID();
  await send(held, 'keeps the receiver busy');
  const busy = await take();
  await send(groupId, 'old');
  // On a Monday, yesterday lies in a week that a new installation has no partition for.
  await database.asOwner(`do $$ begin
    if to_regclass('queue_message_' || to_char(now() - interval '7 days', 'IYYY_IW')) is null then
      execute format('create table %I partition of queue_message for values from (%L) to (%L)',
        'queue_message_' || to_char((now() - interval '7 days') at time zone 'UTC', 'IYYY_IW'),
        date_trunc('week', now() - interval '7 days', 'UTC'), date_trunc('week', now(), 'UTC'));
    end if; end $$`);
  await database.asOwner(
    `update queue_message set accepted_at = now() - interval '25 hours' where group_id = $1`,
    [groupId],
  );
  await database.asOwner(
    `update queue_group set head_at = (select min(accepted_at) from queue_message where group_id = $1) where group_id = $1`,
    [groupId],
  );
  await waitUntil(
    'the message to expire',
    async () => (await queue.deadLetters.list({ groupId })).length === 1,
  );
  const [letter] = await queue.deadLetters.list({ groupId });
  assert.equal(letter?.reason, 'expired');
  await send(groupId, 'new');
  const batch = await take();
  assert.deepEqual(
    batch.records.map(({ body }) => body),
    ['"new"'],
  );
  await batch.settle([]);
  await busy.settle([]);
  await queue.deadLetters.drop({ groupId });
});

test('a send whose connection is cut is not half accepted: every resolved one is there once, a repeat is a duplicate', async () => {
  const groupId = randomUUID();
  const ids = Array.from({ length: 300 }, () => randomUUID());
  const outcomes = new Map<string, string>();
  let cuts = 0;
  const sendAll = () =>
    Promise.all(
      ids
        .filter((id) => !outcomes.has(id))
        .map(async (id, index) => {
          if (index % 60 === 30) {
            cuts += 1;
            await database.asOwner(
              `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'forgewatch_worker' and datname = current_database()`,
            );
          }
          const body = Buffer.from(JSON.stringify(`${id}${'x'.repeat(5000)}`));
          await patient.send({ groupId, deduplicationId: id, body }).then(
            (outcome) => outcomes.set(id, outcome),
            () => {},
          );
        }),
    );
  await waitUntil('all sends to be accepted', async () => {
    await sendAll();
    return outcomes.size === ids.length;
  });
  assert.ok(cuts > 0);
  const stored = await database.asOwner<{ id: string }>(
    'select deduplication_id as id from queue_message where group_id = $1 order by 1',
    [groupId],
  );
  assert.deepEqual(
    stored.map(({ id }) => id),
    ids.toSorted(),
  );
  await drainAll();
});

test('at rest a body is sealed: no table holds a word of it', async () => {
  const groupId = randomUUID();
  const word = `needle-${randomUUID()}`;
  await send(groupId, word);
  const batch = await take();
  await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'invalid_json' })));
  for (const table of ['queue_message', 'dead_letter']) {
    const rows = await database.asOwner<{ body: Buffer }>(`select body from ${table} where group_id = $1`, [
      groupId,
    ]);
    assert.equal(rows.length, 1, table);
    assert.equal(rows[0]?.body.includes('needle'), false, table);
  }
  await queue.deadLetters.drop({ groupId });
});

test('a group that floods the queue does not keep a small one waiting', async () => {
  const [flood, small] = [randomUUID(), randomUUID()];
  await Promise.all(Array.from({ length: 200 }, (_, index) => send(flood, String(index))));
  await send(small, 'small');
  let batches = 0;
  for (let found = false; !found; batches += 1) {
    const batch = await take();
    found = batch.records.some(({ attributes }) => attributes.MessageGroupId === small);
    await batch.settle([]);
  }
  assert.ok(batches <= 2, `the small group waited for ${batches} batches`);
  await drainAll();
});

test('a receiver hears of messages that another process sent', async () => {
  const listener = makeListener(roleConnection(database.url, 'forgewatch_worker', testMasterKey), log);
  const receiver = makePostgresQueue({
    ...options,
    visibilityTimeoutMs: 600_000,
    db: database.worker,
    listener,
  });
  await listener.start();
  const waiting = receiver.receive({ maxMessages: 10, waitMs: 60_000, signal });
  const sender = makePostgresQueue({ ...options, db: database.api });
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

test('partitions are there for this week and the next; what is past the retention is dropped', async () => {
  const names = async () => {
    const rows = await database.asOwner<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'queue_message'::regclass order by 1`,
    );
    return rows.map(({ name }) => name);
  };
  const before = await names();
  assert.ok(before.length >= 2);
  await database.asOwner(
    `create table queue_message_2020_10 partition of queue_message for values from ('2020-03-02') to ('2020-03-09')`,
  );
  await database.worker.withScope('service', (tx) =>
    tx.query(`select queue_keep_partitions(interval '90 days')`),
  );
  assert.deepEqual(await names(), before);
});

test('the roles of the service reach the queue through its functions alone', async () => {
  const denied = (db: typeof database.api, text: string) =>
    assert.rejects(
      db.withScope('service', (tx) => tx.query(text)),
      { code: '42501' },
    );
  for (const db of [database.api, database.worker]) {
    for (const table of ['queue_message', 'queue_group', 'queue_dedup', 'dead_letter', 'large_payload']) {
      await denied(db, `select * from ${table}`);
    }
  }
  await denied(database.api, `select queue_claim(1, interval '1 s', gen_random_uuid())`);
  await denied(database.api, `select large_payload_load('x', gen_random_uuid())`);
});

async function drainAll(): Promise<void> {
  for (let batch = await patient.receive({ maxMessages: 10, waitMs: 0, signal }); batch;) {
    await batch.settle([]);
    batch = await patient.receive({ maxMessages: 10, waitMs: 0, signal });
  }
}

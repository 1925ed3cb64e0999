import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '#platform/database/database.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';
import { messageRetentionMs } from '../../policy.ts';
import { LeaseLostError } from '../../queue.ts';
import { separateBodies } from '../separate-bodies.ts';
import { expireMessages, forgetOld, reapLeases, renewLeases } from '../store.ts';
import { makeWakeUp } from '../wake-up.ts';
import { sweepTasks } from './sweep.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { ageRows, readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { addOldWeeks, ageMessages } from '#test/support/queue/old-weeks.ts';

const { database, sealer, options, queue, send, take, drain } = await createTestQueue();
const { worker } = database;

const reap = (): Promise<number> => worker.withScope('service', reapLeases);
const expire = (most = 100): Promise<number> =>
  worker.withScope('service', (tx) => expireMessages(tx, messageRetentionMs, most));
const textsOf = (batch: Awaited<ReturnType<typeof take>>): string[] =>
  batch.records.map(({ body }) => JSON.parse(body) as string);

/** As after a time longer than any lease. */
const endLeases = () => ageRows(database, 'queue_group.lease_until', '1 day');

async function letLeasesRunOut(): Promise<void> {
  await endLeases();
  assert.ok((await reap()) > 0);
}

await addOldWeeks(database);

test('a batch that another receiver got after its lease can neither be settled any more nor given back', async () => {
  await send(randomUUID(), 'slow');
  const batch = await take();
  assert.equal(await reap(), 0, 'a lease in time is left alone');
  await letLeasesRunOut();
  const next = await take();
  await assert.rejects(batch.settle([]), LeaseLostError);
  await assert.rejects(
    worker.withScope('service', (tx) => batch.settle([], tx)),
    LeaseLostError,
  );
  await batch.giveBack();
  await next.settle([]);
  assert.deepEqual(await drain(), []);
});

test('nor can a batch with a failed message', async () => {
  await send(randomUUID(), 'failed');
  const batch = await take();
  await letLeasesRunOut();
  const next = await take();
  const failures = batch.records.map(({ messageId }) => ({ messageId, reason: 'invalid_json' }));
  await assert.rejects(batch.settle(failures), LeaseLostError);
  await next.settle([]);
});

test('a batch that outlives its lease is settled when nobody else got it', async () => {
  const groupId = randomUUID();
  for (const text of ['1', '2']) await send(groupId, text);
  const batch = await take();
  await letLeasesRunOut();
  await send(groupId, '3');
  await batch.settle([]);
  assert.deepEqual(await drain(), ['3']);
});

test('a message that expired while its worker was paused is not settled', async () => {
  const groupId = randomUUID();
  await send(groupId, 'old');
  const batch = await take();
  await letLeasesRunOut();
  await ageMessages(database, groupId, '25 hours');
  assert.equal(await expire(), 1);
  await assert.rejects(batch.settle([]), LeaseLostError);
  assert.equal(await queue.deadLetters.drop({ groupId }), 1);
});

test('leases that are renewed do not run out', async () => {
  await send(randomUUID(), 'paused');
  const batch = await take();
  await endLeases();
  const leases = (await readRows(database, 'queue_group')).flatMap(({ lease }) => lease ?? []);
  await worker.withScope('service', (tx) => renewLeases(tx, leases, 60_000));
  assert.equal(await reap(), 0);
  await batch.settle([]);
});

test('a process that was paused renews its leases, also when the first try fails', async (t) => {
  await send(randomUUID(), 'paused');
  const batch = await take();
  await endLeases();
  const leases = (await readRows(database, 'queue_group')).flatMap(({ lease }) => lease ?? []);
  let tries = 0;
  const withScope: Database['withScope'] = (...given) =>
    (tries += 1) === 1 ? Promise.reject(new Error('away')) : worker.withScope(...given);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const deps = { ...options, db: { ...worker, withScope }, wakeUp: makeWakeUp(), leases: new Set(leases) };
  const [sweep] = sweepTasks(deps);
  t.mock.timers.tick(60_000);
  await sweep!.start();
  const held = async () =>
    (await readRows(database, 'queue_group')).filter(({ lease }) => lease === leases[0]);
  await waitUntil('the second try', () => tries > 1);
  await sweep!.stop();
  assert.equal(await reap(), 0);
  assert.notEqual((await held())[0]?.['lease_until'], null);
  await batch.settle([]);
});

test('messages of a dead worker are delivered again alone and in order, before later ones', async () => {
  const [groupId, other] = [randomUUID(), randomUUID()];
  for (const text of ['1', '2', '3']) await send(groupId, text);
  await take();
  await send(groupId, '4');
  await send(other, 'other');
  await letLeasesRunOut();
  await send(randomUUID(), 'behind it in line');
  const batches: string[][] = [];
  for (let turns = 0; turns < 3; turns += 1) {
    const batch = await take();
    batches.push(textsOf(batch));
    const counts = batch.records.map(({ attributes }) => attributes.ApproximateReceiveCount);
    if (textsOf(batch)[0] === '1') assert.deepEqual(counts, ['2', '2', '2']);
    await batch.settle([]);
  }
  assert.deepEqual(batches, [['other'], ['1', '2', '3'], ['behind it in line', '4']]);
});

test('a batch that kills its workers is taken apart: the killer is dead, its neighbours are processed', async () => {
  const groupId = randomUUID();
  for (const text of ['good 1', 'killer', 'good 2']) await send(groupId, text);
  let deaths = 0;
  const processed: string[] = [];
  for (;;) {
    const batch = await queue.receive({ maxMessages: 10, waitMs: 0, signal: new AbortController().signal });
    if (batch === undefined) break;
    if (textsOf(batch).includes('killer')) {
      deaths += 1;
      await letLeasesRunOut();
    } else {
      processed.push(...textsOf(batch));
      await batch.settle([]);
    }
  }
  assert.deepEqual(processed, ['good 1', 'good 2']);
  assert.equal(deaths, 3);
  const deadLetters = await queue.deadLetters.list({ groupId });
  assert.deepEqual(
    deadLetters.map(({ reason }) => reason),
    ['abandoned'],
  );
  await queue.deadLetters.drop({ groupId });
});

test('a message that was out by itself is given out once more, not twice', async () => {
  const groupId = randomUUID();
  await send(groupId, 'killer');
  await take();
  await letLeasesRunOut();
  await take();
  await letLeasesRunOut();
  assert.deepEqual(await drain(), []);
  assert.equal(await queue.deadLetters.drop({ groupId }), 1);
});

test('leases that ran out while the database was away count for nothing', async () => {
  await send(randomUUID(), 'unlucky');
  const outage = async (receiveCount: string): Promise<void> => {
    const batch = await take();
    assert.equal(batch.records[0]?.attributes.ApproximateReceiveCount, receiveCount);
    await ageRows(database, 'queue_group.leased_at', '1 year');
    await letLeasesRunOut();
  };
  await outage('1');
  await outage('1');
  await take();
  await letLeasesRunOut();
  await outage('2');
  await outage('2');
  assert.deepEqual(await drain(), ['unlucky']);
});

test('a message that no worker took within a day is dead with the reason expired, newer ones of its group are not', async () => {
  const groupId = randomUUID();
  for (const text of ['old 1', 'old 2', 'old 3']) await send(groupId, text);
  await ageMessages(database, groupId, '25 hours');
  await send(groupId, 'new');
  assert.equal(await expire(2), 2, 'not more at once than requested');
  assert.equal(await expire(2), 1);
  assert.equal(await expire(2), 0);
  const deadLetters = await queue.deadLetters.list({ groupId });
  assert.deepEqual(
    deadLetters.map(({ reason }) => reason),
    ['expired', 'expired', 'expired'],
  );
  assert.deepEqual(await drain(), ['new']);
  await queue.deadLetters.drop({ groupId });
});

test('a worker that starts receives what waited while none ran, before it ends what is too old', async () => {
  const groupId = randomUUID();
  await send(groupId, 'old');
  await ageMessages(database, groupId, '25 hours');
  let looks = 0;
  const hasRow: Database['hasRow'] = (...given) => {
    looks += 1;
    return worker.hasRow(...given);
  };
  const deps = { ...options, db: { ...worker, hasRow }, wakeUp: makeWakeUp(), leases: new Set<string>() };
  const [sweep] = sweepTasks(deps);
  await sweep!.start();
  await waitUntil('the end of the first run', () => looks > 1);
  await sweep!.stop();
  const isExpired = async () => (await queue.deadLetters.list({ groupId })).length === 1;
  assert.equal(await isExpired(), false);
  const [later] = sweepTasks({ ...deps, expireAfterMs: 0 });
  await later!.start();
  await waitUntil('the message to expire', isExpired);
  await later!.stop();
  await queue.deadLetters.drop({ groupId });
});

test('a dead letter that cannot be written fails its sweep and does not end the process', async () => {
  const groupId = randomUUID();
  await send(groupId, 'old');
  await ageMessages(database, groupId, '25 hours');
  const sweep = () =>
    worker.withScope('service', async (tx) => {
      await expireMessages(tx, messageRetentionMs, 100);
      await separateBodies(tx, sealer);
    });
  await database.asOwner('alter table dead_letter add constraint full_disk check (not is_own_segment)');
  await assert.rejects(sweep(), /full_disk/);
  await database.asOwner('alter table dead_letter drop constraint full_disk');
  await sweep();
  assert.equal(await queue.deadLetters.drop({ groupId }), 1);
});

test('a leased message does not expire', async () => {
  const groupId = randomUUID();
  await send(groupId, 'old');
  const batch = await take();
  await ageMessages(database, groupId, '25 hours');
  assert.equal(await expire(), 0);
  await batch.settle([]);
  assert.deepEqual(await queue.deadLetters.list({ groupId }), []);
});

test('dead letters are forgotten after 14 days, and not before', async () => {
  const groupId = randomUUID();
  for (const text of ['1', '2']) await send(groupId, text);
  const batch = await take();
  await batch.settle(batch.records.map(({ messageId }) => ({ messageId, reason: 'invalid_json' })));
  const ages = ['13 days 23 hours', '14 days 1 hour'];
  for (const [index, { messageId }] of batch.records.entries())
    await ageRows(database, 'dead_letter.dead_at', ages[index] ?? '', { message_id: messageId });
  assert.equal(await worker.withScope('service', (tx) => forgetOld(tx, 14 * dayMs, 16 * dayMs, 100)), 1);
  const deadLetters = await queue.deadLetters.list({ groupId });
  assert.deepEqual(
    deadLetters.map(({ messageId }) => messageId),
    [batch.records[0]?.messageId],
  );
  await queue.deadLetters.drop({ groupId });
});

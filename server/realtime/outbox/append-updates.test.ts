import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { createRealtimeWorld, runOf, runsOf, upTo } from '#test/support/realtime/realtime-world.ts';
import { appendUpdates, lockStreams } from './append-updates.ts';
import { readMissed } from './read-missed.ts';
import { trimOutbox } from '../store.ts';
import { readRows } from '#test/support/database/rows.ts';
import { deleteIntegration } from '#test/support/realtime/membership-changes.ts';

const { database, truth, insertIntegration, store } = await createRealtimeWorld();
const deps = { db: database.api, loadUpdates: truth.loadUpdates };

const seqs = (messages: readonly UpdateMessage[]): number[] => messages.map(({ seq }) => seq);
const asClientsSee = (messages: unknown): unknown => JSON.parse(JSON.stringify(messages));

test('updates are numbered without gaps for each integration, in the order given', async () => {
  const [a, b] = [await insertIntegration(), await insertIntegration()];
  const first = await store([runOf(a, 1), runOf(b, 1), runOf(a, 2)]);
  const second = await store([runOf(b, 2), runOf(a, 1)]);
  assert.deepEqual(
    [...first, ...second].map(({ integrationId, seq }) => [integrationId, seq]),
    [
      [a, 1],
      [b, 1],
      [a, 2],
      [b, 2],
      [a, 3],
    ],
  );
  assert.equal(new Set([...first, ...second].map(({ epoch }) => epoch)).size, 2);
});

test('updates that are read back from the outbox equal those that were pushed', async () => {
  const integrationId = await insertIntegration();
  const runs = [runOf(integrationId, 5_000_000_001, 'é😀'), runOf(integrationId, 2)];
  const pushed = await store(runs);
  const missed = (await readMissed(deps, new Map([[integrationId, 0]]), 10)).get(integrationId);
  assert.deepEqual(missed?.messages, asClientsSee(pushed));
  assert.equal(missed?.counter.seq, 2);
});

test('a transaction that rolls back leaves no number behind', async () => {
  const integrationId = await insertIntegration();
  const scope = { integrationIds: [integrationId] };
  await assert.rejects(
    database.worker.withScope(scope, async (tx) => {
      await lockStreams(tx, scope.integrationIds);
      await appendUpdates(tx, [{ type: 'workflow_run', data: runOf(integrationId, 1) }], [integrationId]);
      throw new Error('stop');
    }),
    /stop/,
  );
  assert.deepEqual(seqs(await store([runOf(integrationId, 1)])), [1]);
});

test('writers of the same integrations in any order wait for each other, never deadlock, and leave no gap', async () => {
  const ids = await Promise.all(upTo(6).map(() => insertIntegration()));
  const batches = await Promise.all(
    upTo(60).map((round) => {
      const order = ids.map((_, index) => ids[(index * (round % 2 ? 1 : 5) + round) % ids.length] ?? '');
      return store(order.map((id) => runOf(id, round)));
    }),
  );
  for (const id of ids) {
    const own = batches.flat().filter(({ integrationId }) => integrationId === id);
    assert.deepEqual(
      seqs(own).toSorted((a, b) => a - b),
      upTo(60),
    );
    const missed = (await readMissed(deps, new Map([[id, 0]]), 100)).get(id);
    assert.deepEqual(seqs(missed?.messages ?? []), upTo(60));
  }
});

test('an integration that was deleted, or never was, is left out and the rest is stored', async () => {
  const [kept, deleted] = [await insertIntegration(), await insertIntegration()];
  await store([runOf(deleted, 1)]);
  await deleteIntegration(database, deleted);
  const messages = await store([runOf(deleted, 2), runOf(kept, 1), runOf(randomUUID(), 1)]);
  assert.deepEqual(
    messages.map(({ integrationId, seq }) => [integrationId, seq]),
    [[kept, 1]],
  );
});

test('an integration created again begins a new epoch, and never gets updates of the old one', async () => {
  const integrationId = await insertIntegration();
  const [before] = await store([runOf(integrationId, 1)]);
  await deleteIntegration(database, integrationId);
  await insertIntegration(integrationId);
  const [after] = await store([runOf(integrationId, 1)]);
  assert.notEqual(before?.epoch, after?.epoch);
  const missed = (await readMissed(deps, new Map([[integrationId, 0]]), 10)).get(integrationId);
  assert.deepEqual(missed?.messages, asClientsSee([after]));
});

test('reading after a position stops at the limit and says so', async () => {
  const integrationId = await insertIntegration();
  await store(runsOf(integrationId, 5));
  const missed = (await readMissed(deps, new Map([[integrationId, 1]]), 2)).get(integrationId);
  assert.deepEqual(seqs(missed?.messages ?? []), [2, 3]);
  assert.deepEqual([missed?.isTruncated, missed?.head.seq, missed?.counter.seq], [true, 3, 5]);
});

test('trimming empties the slot that comes next and keeps the last hour', async () => {
  const integrationId = await insertIntegration();
  const insert = (seq: number, columns = '', values = '') =>
    database.asOwner<{ slot: number }>(
      `insert into realtime_outbox (integration_id, epoch, seq, run_id, attempt, type${columns})
       values ($1, 'e', $2, 1, 1, 'workflow_run'${values}) returning slot`,
      [integrationId, seq],
    );
  const [first] = await insert(1);
  for (const ago of [1, 2, 3]) await insert(ago + 1, ', slot', `, ${((first?.slot ?? 0) - ago + 4) % 4}`);
  await database.worker.withScope('service', (tx) => trimOutbox(tx));
  const rows = await readRows(database, 'realtime_outbox', { integration_id: integrationId });
  assert.deepEqual(rows.map(({ seq }) => Number(seq)).sort(), [1, 2, 3]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Database } from '#platform/database/database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { countRows } from '#test/support/database/rows.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { deleteOldUnqueued } from './delete-old-unqueued.ts';
import { makeUnqueuedRecorder, type UnqueuedDelivery } from './record-unqueued.ts';
import { findUnqueued, listUnqueued } from './unqueued-store.ts';
import { idsStartingWith } from '../delivery-ids.ts';

const database = await createTestDatabase();
const log = pino({ level: 'silent' });
const minute = 60_000;
const start = Date.parse('2026-03-01T12:00:00Z');

const seen = (delivery: Partial<UnqueuedDelivery>): UnqueuedDelivery => ({
  integrationId: undefined,
  reason: 'invalid_signature',
  event: 'push',
  deliveryId: 'guid',
  address: '203.0.113.7',
  receivedAt: new Date(start),
  ...delivery,
});

const countOf = (integrationId: string, reason: string): Promise<number> =>
  countRows(database, 'unqueued_deliveries', { integration_id: integrationId, reason });

/** A delivery of two reasons in each of 1,500 hours before the start. */
const fill = (integrationIds: readonly string[]) =>
  database.asOwner(
    `insert into unqueued_deliveries (integration_id, received_at, reason, forge_delivery_id, address)
     select id, $2::timestamptz - n * interval '1 hour', reason, md5(n::text), '203.0.113.7'
     from unnest($1::uuid[]) id, generate_series(1500, 1, -1) n, unnest('{ping,invalid_json}'::text[]) reason`,
    [integrationIds, new Date(start)],
  );

test('a flood to one integration is stored up to a limit a minute, in one transaction, and takes no room from others', async () => {
  const [flooded, other] = [await insertIntegration(database), await insertIntegration(database)];
  let transactions = 0;
  const db: Database = {
    ...database.api,
    withScope: (...args) => {
      transactions += 1;
      return database.api.withScope(...args);
    },
  };
  const recorder = makeUnqueuedRecorder({ db, log, writeEveryMs: 3_600_000 });
  for (let count = 0; count < 100_000; count += 1) {
    recorder.note(seen({ integrationId: flooded }));
    recorder.note(seen({ integrationId: undefined }));
  }
  recorder.note(seen({ integrationId: flooded, reason: 'invalid_json' }));
  recorder.note(seen({ integrationId: other }));
  recorder.note(seen({ integrationId: flooded, receivedAt: new Date(start + minute) }));
  await recorder.stop();
  assert.equal(await countOf(flooded, 'invalid_signature'), 31);
  assert.equal(await countOf(flooded, 'invalid_json'), 1);
  assert.equal(await countOf(other, 'invalid_signature'), 1);
  assert.equal(transactions, 2);
});

test('all integrations together are bounded in each turn', async () => {
  const integrationId = await insertIntegration(database);
  const recorder = makeUnqueuedRecorder({ db: database.api, log, writeEveryMs: 3_600_000 });
  for (let count = 0; count < 2000; count += 1)
    recorder.note(seen({ integrationId, receivedAt: new Date(start + count * minute) }));
  await recorder.stop();
  assert.equal(await countOf(integrationId, 'invalid_signature'), 500);
});

test('a deleted integration does not stop others from being recorded', async () => {
  const integrationId = await insertIntegration(database);
  const recorder = makeUnqueuedRecorder({ db: database.api, log, writeEveryMs: 5 });
  recorder.note(seen({ integrationId: '99999999-9999-4999-8999-999999999999' }));
  recorder.note(seen({ integrationId }));
  await recorder.start();
  await waitUntil('it is written', async () => (await countOf(integrationId, 'invalid_signature')) === 1);
  await recorder.stop();
});

test('the newest thousand of each reason are kept, up to the retention', async () => {
  const integrationId = await insertIntegration(database);
  await fill([integrationId]);
  const forget = (days: number) =>
    database.worker.withScope({ integrationId }, (tx) => deleteOldUnqueued(tx, integrationId, start, days));
  assert.equal(await forget(3650), 1000);
  assert.equal(await forget(3650), 0);
  assert.deepEqual(
    [await countOf(integrationId, 'ping'), await countOf(integrationId, 'invalid_json')],
    [1000, 1000],
  );
  await forget(1);
  assert.equal(await countOf(integrationId, 'ping'), 24);
});

test('deliveries that were not queued are listed and found by index', async () => {
  const integrationId = await insertIntegration(database);
  await fill([integrationId, await insertIntegration(database), await insertIntegration(database)]);
  await database.asOwner('analyze unqueued_deliveries');
  for (const work of ['list', 'find'] as const) {
    const read = await database.api.withScope({ integrationId }, async (tx) => {
      const found =
        work === 'list'
          ? await listUnqueued(tx, integrationId, undefined, {}, 10)
          : await findUnqueued(tx, integrationId, idsStartingWith('c4ca'), 10);
      assert.ok(found.length > 0);
      const { rows } = await tx.query<{ seq: number; read: number }>(
        `select seq_scan::int as seq, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
         from pg_stat_xact_user_tables where relname = 'unqueued_deliveries'`,
      );
      return rows[0]!;
    });
    assert.ok(read.seq === 0 && read.read < 50, `${work} read ${read.read}`);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#platform/database/database.ts';
import { createTestQueue } from '#test/support/queue/test-queue.ts';

const { database } = await createTestQueue();

const isRefused = (db: Database, text: string): Promise<void> =>
  assert.rejects(
    db.withScope('service', (tx) => tx.query(text)),
    { code: '42501' },
    text,
  );

test('the roles of the service change the queue through its functions alone, and the worker does not read it', async () => {
  const tables = await database.asOwner<{ name: string; isTable: boolean }>(
    `select oid::regclass::text as name, relkind <> 'S' as "isTable" from pg_class
     where relkind in ('r', 'p', 'S') and relnamespace = 'public'::regnamespace
       and (relname like 'queue%' or relname in ('dead_letter', 'large_payload'))`,
  );
  assert.ok(tables.length >= 6);
  for (const { name, isTable } of tables) {
    await isRefused(database.worker, `select * from ${name}`);
    if (isTable) for (const db of [database.api, database.worker]) await isRefused(db, `delete from ${name}`);
  }
});

test('the api sends and sees to dead letters; it can neither receive nor read payloads nor forget', async () => {
  for (const call of [
    `queue_claim(1, 1, 1, interval '1 s', gen_random_uuid(), '{}')`,
    `queue_settle(gen_random_uuid(), '{}', '{}', '{}', '{}', '{}', true)`,
    'queue_reap()',
    `queue_renew('{}', interval '1 s')`,
    'deleted_segments(1)',
    `purge_segment(1, now(), '', '{1}')`,
    `queue_expire(interval '1 day', 1)`,
    `queue_forget(interval '1 day', interval '1 day', 1)`,
    `queue_drop_partitions(interval '1 day')`,
  ])
    await isRefused(database.api, `select ${call}`);
});

test('roles of the service cannot call the functions behind those of the queue', async () => {
  for (const db of [database.api, database.worker]) {
    for (const call of [
      `queue_lock_tails('{x}')`,
      `queue_wake('{1}', now())`,
      'lock_deleted_integration()',
      `queue_leave_line(1, 0, now())`,
      `dead_letter_note_end('{1}', 'dropped')`,
      `queue_bury(1, '{1}', '{x}', '{x}')`,
    ])
      await isRefused(db, `select ${call}`);
  }
});

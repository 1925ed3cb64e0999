import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { countRows } from '#test/support/database/rows.ts';
import { readFrames } from './container.ts';
import { noProgress, writeBackup } from './write-backup.ts';

const database = await createTestDatabase();

async function asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

const leftOut = [
  'job_log_parts',
  'job_logs',
  'last_backup',
  'realtime_outbox',
  'schema_migrations',
  'session_refresh',
  'ws_connection',
  'ws_node',
];

/** The tables in a backup, with their numbers of rows. */
function backedUp(): Promise<Map<string, number>> {
  return asOwner(async (owner) => {
    const tables = new Map<string, number>();
    let table = '';
    for await (const frame of readFrames(writeBackup(owner, { version: '1', keys: ['a'] }, noProgress()))) {
      const note = (frame.kind === 'note' ? frame.value : {}) as { table?: string; rows?: number };
      table = note.table ?? table;
      if (note.rows !== undefined) tables.set(table, note.rows);
    }
    return tables;
  });
}

test('a backup holds every table but those of processes and browsers, and each after those that it refers to', async () => {
  const names = await database.asOwner<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const tables = [...(await backedUp()).keys()];
  assert.deepEqual([...tables, ...leftOut].toSorted(), names.map(({ name }) => name).toSorted());
  assert.ok(tables.indexOf('users') < tables.indexOf('memberships'));
  assert.ok(tables.indexOf('memberships') < tables.indexOf('incidents'));
});

test('the role of backups sees all rows of every table with row-level security', async () => {
  await insertIntegration(database);
  await database.asOwner(`insert into queue_group (group_id) values ('a'), ('b')`);
  const tables = await backedUp();
  assert.equal(tables.get('integrations'), 1);
  assert.equal(tables.get('realtime_stream'), await countRows(database, 'realtime_stream'));
  assert.equal(tables.get('queue_group'), 2);
  const hidden = await database.asOwner<{ name: string }>(
    `select relname as name from pg_class c where relnamespace = 'public'::regnamespace and relrowsecurity and not relispartition
       and not exists (
         select from pg_policies p where p.tablename = c.relname and p.roles = '{forgewatch_backup}' and p.cmd = 'SELECT'
           and p.qual like '%CURRENT_USER%forgewatch_backup%')`,
  );
  assert.deepEqual(hidden, [], 'call let_backup_read for these tables');
});

test('a backup is refused when row-level security hides a table', async (t) => {
  await database.asOwner('create table secrets (id int); alter table secrets enable row level security');
  t.after(() => database.asOwner('drop table secrets'));
  await assert.rejects(backedUp(), /Row-level security hides rows of secrets .*let_backup_read/);
  await database.asOwner(`call let_backup_read('secrets')`);
  assert.equal((await backedUp()).get('secrets'), 0);
});

test('the roles of the service cannot become that of backups, which changes nothing', async () => {
  for (const role of [database.api, database.worker])
    await assert.rejects(
      role.withScope('service', (tx) => tx.query('set local role forgewatch_backup')),
      /permission denied to set role/,
    );
  await asOwner(async (owner) => {
    await owner.query('set role forgewatch_backup');
    for (const change of [
      'insert into users (cognito_id) values (1)',
      'update users set name = null',
      'truncate users',
    ])
      await assert.rejects(owner.query(change), /permission denied/);
  });
});

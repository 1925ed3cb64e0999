import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { purgeRows } from './store.ts';

const database = await createTestDatabase();

/** Tables whose rows are no integration's. Whatever is listed here survives every deletion: say why. */
const ofNoIntegration: Record<string, string> = {
  dead_letter_alarm: 'when the operator was last notified, of all queues together',
  forge_budgets: 'numbers of the rate limits of connections, deleted with an access token',
  forge_installations: 'the forge tells of them before anybody links one, and several may link the same',
  last_backup: 'when the newest backup of everything was complete',
  log_usage: 'bytes of logs that people had read today; a deletion must not give the quota back',
  mail_counts: 'mails of a day by keyed hashes, of all integrations together',
  organization_members: 'of an installation, see above',
  person_usage: 'bytes that people stored today; a deletion must not give the quota back',
  personal_notifications: 'settings of people; the id of a deleted integration in one does nothing',
  personal_tokens: 'of people; the id of a deleted integration in one grants nothing',
  provider_account: 'people of the built-in provider',
  provider_state: 'sessions and grants of the built-in provider',
  queue_message: 'named by group_no; the purge deletes them with a statement of their own',
  queue_segment: 'found through the messages: the purge overwrites the bodies of the integration',
  schema_migrations: 'of the database',
  session_refresh: 'sessions of people',
  signed_out: 'sessions of people',
  signing_key: 'of the service',
  users: 'people outlive the integrations they were in',
  ws_node: 'processes',
};

interface Table {
  name: string;
  key: 'integration_id' | 'group_id' | null;
}

const tables = await database.asOwner<Table>(
  `select case when a.attname is null then coalesce(i.inhparent, c.oid)::regclass::text else c.relname end as name,
     max(a.attname::text) as key
   from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
     and a.attname in ('integration_id', 'group_id')
   where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1 order by 1`,
);

interface Column {
  name: string;
  type: string;
  category: string;
  label: string | null;
}

/** A row of the integration with any values: what they may be is not the question. */
async function plant({ name, key }: Table, integrationId: string): Promise<void> {
  const columns = await database.asOwner<Column>(
    `select a.attname as name, t.typname as type, t.typcategory as category,
            (select e.enumlabel from pg_enum e where e.enumtypid = t.oid order by e.enumsortorder limit 1) as label
     from pg_attribute a join pg_type t on t.oid = a.atttypid
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped
       and a.attgenerated = '' and a.attidentity = '' and (a.attname = $2 or a.attnotnull)`,
    [name, key],
  );
  const values = columns.map((column) => (column.name === key ? integrationId : anyValue(column, name)));
  await database.asOwner(
    `begin; set local session_replication_role = replica;
     insert into ${name} (${columns.map((column) => column.name).join(', ')})
     values (${values.map((value) => `'${value}'`).join(', ')}); commit`,
  );
}

let planted = 0;

function anyValue({ name, type, category, label }: Column, table: string): string {
  if (name === 'slot') return /\d+$/.exec(table)?.[0] ?? '0';
  if (type === 'uuid') return randomUUID();
  planted += 1;
  if (type === 'bytea') return String.raw`\x${planted.toString(16).padStart(8, '0')}`;
  const usual: Record<string, string> = {
    N: String(planted),
    D: '2026-01-01',
    T: '1 day',
    B: 'f',
    A: '{}',
    U: '{}',
  };
  return label ?? usual[category] ?? `x${planted}`;
}

async function tablesWith(integrationId: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, key } of tables) {
    if (key === null) continue;
    const rows = await database.asOwner(`select from ${name} where ${key}::text = $1`, [integrationId]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('a table is purged because it names its integration, or is known to hold nothing of one', () => {
  const unnamed = tables.filter(({ key }) => key === null).map(({ name }) => name);
  assert.deepEqual(unnamed, Object.keys(ofNoIntegration).sort());
});

test('of an integration deleted long ago a purge leaves nothing in any table, and of another everything', async () => {
  const checks = await database.asOwner<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
     where contype = 'c' and conrelid <> 0 and coninhcount = 0 and connamespace = 'public'::regnamespace`,
  );
  for (const { table, name } of checks)
    await database.asOwner(`alter table ${table} drop constraint "${name}"`);
  const [doomed, other] = [randomUUID(), randomUUID()];
  const named = tables.filter(({ name, key }) => key !== null && name !== 'integrations');
  for (const table of named) for (const id of [doomed, other]) await plant(table, id);
  assert.deepEqual(
    await tablesWith(doomed),
    named.map(({ name }) => name),
  );

  const purge = () => database.worker.withScope({ integrationId: doomed }, (tx) => purgeRows(tx, 100));
  while ((await purge()) > 0);
  assert.deepEqual(await tablesWith(doomed), []);
  assert.deepEqual(
    await tablesWith(other),
    named.map(({ name }) => name),
  );
});

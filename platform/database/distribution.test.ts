import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type pg from 'pg';
import { createTestDatabase } from '#test/support/database/test-database.ts';

const database = await createTestDatabase();

/** The statements of docs/scaling.md. */
const page = readFileSync(path.join(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
const [, script = ''] = /```sql\n([^]*?)```/.exec(page) ?? [];
const calls = await runScript();

/** Tables without a primary key, and why. */
const withoutPrimaryKey: Record<string, string> = {
  linked_repositories:
    'installation_id is null for the access token, so its key is unique nulls not distinct',
  invitation_sends: 'a list of times that are counted',
  realtime_outbox: 'rows are never updated; its partitions are emptied whole',
  test_sends: 'a list of times that are counted',
};

interface Key {
  table: string;
  isPrimary: boolean;
  columns: string[];
}

/** Primary and unique keys of all tables with an `integration_id`. */
const keys = await database.asOwner<Key>(`
  select c.relname as table, i.indisprimary as "isPrimary",
    (select array_agg(pg_get_indexdef(i.indexrelid, place, true) order by place)
     from generate_series(1, i.indnkeyatts) as place) as columns
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'integration_id' and not a.attisdropped
  join pg_index i on i.indrelid = c.oid and i.indisunique
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
  order by 1, 3`);

test('every table of integrations leads its primary key with integration_id, so that the tables can be distributed', async () => {
  const tables = await database.asOwner<{ name: string }>(`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'integration_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`);
  assert.ok(tables.length > 40);
  const leading = keys.filter(({ isPrimary, columns }) => isPrimary && columns[0] === 'integration_id');
  const led = new Set(leading.map(({ table }) => table));
  const others = tables.map(({ name }) => name).filter((name) => !led.has(name));
  assert.deepEqual(others, Object.keys(withoutPrimaryKey).toSorted());
});

/** Rows that are found by the SHA-256 of a random secret, before their integration is known. Citus needs reference tables for them. */
const foundBySecret: Record<string, string> = {
  badges: 'id_hash',
  integration_tokens: 'token_hash',
  invitations: 'token_hash',
  share_links: 'secret_hash',
};

test('every unique key of a table of integrations contains integration_id, or is the hash of a secret', () => {
  const others = keys.filter(({ columns }) => !columns.includes('integration_id'));
  assert.deepEqual(
    Object.fromEntries(others.map(({ table, columns }) => [table, columns.join()])),
    foundBySecret,
  );
});

interface Table {
  name: string;
  triggers: string[];
  /** Policies with a subquery. */
  subqueries: string[];
  foreignKeys: { table: string; columns: string[]; targets: string[]; isCleared: boolean }[];
}

const readTables = (): Promise<Table[]> =>
  database.asOwner<Table & pg.QueryResultRow>(`
    select c.relname as name,
      array(select tgname::text from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
      array(select polname::text from pg_policy
        where polrelid = c.oid and concat(polqual::text, polwithcheck::text) like '%SUBLINK%') as subqueries,
      (select coalesce(jsonb_agg(jsonb_build_object('table', confrelid::regclass,
          'columns', (select array_agg(attname order by place) from unnest(conkey) with ordinality as k (number, place)
            join pg_attribute on attrelid = conrelid and attnum = number),
          'targets', (select array_agg(attname order by place) from unnest(confkey) with ordinality as k (number, place)
            join pg_attribute on attrelid = confrelid and attnum = number),
          'isCleared', confdeltype in ('n', 'd'))), '[]')
        from pg_constraint where conrelid = c.oid and contype = 'f') as "foreignKeys"
    from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`);

/** Runs the statements as psql does, on functions that only note for which tables they are called. */
async function runScript(): Promise<{ name: string; column: string | null }[]> {
  await database.asOwner(`
    create schema noted;
    create table noted.calls (place serial, name text, distribution_column text, colocate_with text);
    create function create_reference_table(t regclass) returns void language sql
      begin atomic insert into noted.calls (name) values (t::text); end;
    create function create_distributed_table(t regclass, c text, colocate_with text) returns void language sql
      begin atomic insert into noted.calls (name, distribution_column, colocate_with) values (t::text, c, colocate_with); end;`);
  for (const [, statement = '', end] of script.matchAll(/([^;]+?)(;|\\gexec)/g)) {
    const rows = await database.asOwner<Record<string, string>>(statement);
    if (end === '\\gexec') {
      assert.ok(rows.length > 0, statement);
      for (const made of rows.flatMap((row) => Object.values(row))) await database.asOwner(made);
    }
  }
  const calls = await database.asOwner<{ name: string; column: string | null; group: string | null }>(
    'select name, distribution_column as column, colocate_with as group from noted.calls order by place',
  );
  const [first, ...others] = calls.filter(({ column }) => column !== null);
  assert.equal(first?.group, 'default');
  assert.deepEqual([...new Set(others.map(({ group }) => group))], [first?.name]);
  return calls;
}

test('the statements for Citus distribute every table, and keep its rules', async () => {
  const [, listed = ''] = /\| Stays on the coordinator([^]*?)\n\n/.exec(page) ?? [];
  const local = [...listed.matchAll(/^\|([^|]*)/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  const tables = await readTables();
  assert.deepEqual(
    [...calls.map(({ name }) => name), ...local].toSorted(),
    tables.map(({ name }) => name),
  );

  const byName = new Map(tables.map((table) => [table.name, table]));
  const done = new Map<string, 'reference' | 'distributed'>();
  for (const { name, column } of calls) {
    const { triggers, subqueries, foreignKeys } = byName.get(name)!;
    assert.deepEqual({ triggers, subqueries }, { triggers: [], subqueries: [] }, name);
    for (const { table, columns, targets, isCleared } of foreignKeys) {
      const key = `${name} (${columns.join()}) references ${table}`;
      const isReference = done.get(table) === 'reference';
      if (column === null) assert.ok(isReference, key);
      else if (!isReference) {
        assert.equal(done.get(table), 'distributed', key);
        assert.ok(columns.includes(column) && targets.indexOf(column) === columns.indexOf(column), key);
      }
      assert.ok(column === null || !columns.includes(column) || !isCleared, key);
    }
    if (column !== null) {
      assert.equal(column, 'integration_id', name);
      for (const { columns } of keys.filter(({ table }) => table === name))
        assert.ok(columns.includes(column), `${name} (${columns.join()})`);
    }
    done.set(name, column === null ? 'reference' : 'distributed');
  }
  // A foreign key to a reference table makes Citus manage a local table, whose policies it then checks.
  for (const { name, foreignKeys, subqueries } of local.map((table) => byName.get(table)!)) {
    const targets = foreignKeys.map(({ table }) => done.get(table));
    assert.ok(!targets.includes('distributed'), name);
    if (targets.includes('reference')) assert.deepEqual(subqueries, [], name);
  }
});

test('the policies for Citus show the rows of the scope alone', async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  await database.asOwner(
    `insert into integrations (integration_id, label, webhook_secret) values ($1, 'Mine', ''), ($2, 'Other', '')`,
    [mine, other],
  );
  const labels = await database.api.withScope({ integrationId: mine }, (tx) =>
    tx.rows<{ label: string }>('select label from integrations'),
  );
  assert.deepEqual(labels, [{ label: 'Mine' }]);
});

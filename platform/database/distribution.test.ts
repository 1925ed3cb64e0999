import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';

const database = await createTestDatabase();

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

/**
 * Rows that are found by the SHA-256 of a random secret, before their integration is known. A distributed table needs a plain
 * index there instead.
 */
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

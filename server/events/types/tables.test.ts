import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { mapObjects } from './objects.ts';

const database = await createTestDatabase();

/** What a request of a person sets, and no event. */
const ofRequests = ['rerun_asked_after'];

/** The columns that events write, with their types: those that are not generated. */
async function columnsOf(name: string): Promise<[column: string, type: string][]> {
  const rows = await database.asOwner<{ column: string; type: string }>(
    `select attname as column, format_type(atttypid, null) as type from pg_attribute
     where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
       and attname <> all ($1)`,
    [ofRequests],
  );
  return rows.map(({ column, type }) => [column, type.replace('timestamp with time zone', 'timestamptz')]);
}

const tables = Object.values(mapObjects(({ table }) => table));

for (const { name, columns, types } of tables) {
  test(`${name} has the declared columns`, async () => {
    const declared = columns.map((column, index) => [column, types[index]?.pgType]);
    assert.deepEqual(declared.toSorted(), (await columnsOf(name)).toSorted());
  });
}

for (const { name, columns, keyLength } of tables) {
  test(`the declaration of ${name} begins with its primary key`, async () => {
    const rows = await database.asOwner<{ column: string }>(
      `select a.attname as column from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
       where i.indrelid = '${name}'::regclass and i.indisprimary`,
    );
    assert.deepEqual(columns.slice(0, keyLength).toSorted(), rows.map(({ column }) => column).toSorted());
  });
}

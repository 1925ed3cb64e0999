import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { listApplied, migrate } from './migrate.ts';
import { knowsMigrations, migrateTo } from './migrate-to.ts';

const database = await createTestDatabase();

test('an empty database is brought to an earlier schema, and the next start goes on from there', async (t) => {
  const name = `earlier_${randomBytes(6).toString('hex')}`;
  await database.asOwner(`create database ${name}`);
  t.after(() => database.asOwner(`drop database ${name} with (force)`));
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  const owner = new pg.Client({ connectionString: url.href });
  await owner.connect();
  const all = (
    await database.asOwner<{ name: string }>('select name from schema_migrations order by id')
  ).map((row) => row.name);
  const earlier = all.slice(0, -1);
  assert.equal(await migrateTo(owner, earlier), true);
  assert.deepEqual(await listApplied(owner), earlier);
  assert.equal(await migrateTo(owner, earlier), true, 'it is there already');
  assert.equal(await migrateTo(owner, all), false, 'a schema is not changed');
  await owner.end();
  assert.deepEqual((await migrate(url.href, [testMasterKey])).applied, all.slice(-1));
});

test('a version knows the schema of earlier ones and of itself', async () => {
  const all = (
    await database.asOwner<{ name: string }>('select name from schema_migrations order by id')
  ).map((row) => row.name);
  assert.deepEqual(
    await Promise.all([all, all.slice(0, 5), [...all, '9999_next'], all.slice(1)].map(knowsMigrations)),
    [true, true, false, false],
  );
});

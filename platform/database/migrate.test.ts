import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { DatabaseUnusable, migrate, migrationsDirectory, withoutStorage } from './migrate.ts';

const database = await createTestDatabase();

test('concurrent starts on a new database migrate it once', async (t) => {
  const name = `fresh_${randomBytes(6).toString('hex')}`;
  await database.asOwner(`create database ${name}`);
  t.after(() => database.asOwner(`drop database ${name} with (force)`));
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  const starts = await Promise.all([1, 2, 3].map(() => migrate(url.href, [testMasterKey])));
  assert.deepEqual(starts.map(({ applied }) => applied.length > 0).sort(), [false, false, true]);
});

test('a database migrated by a newer version is refused and not changed', async () => {
  assert.deepEqual((await migrate(database.url, [testMasterKey])).applied, []);
  await database.asOwner(`insert into schema_migrations (name, run_on) values ('9999_next', now())`);
  await assert.rejects(migrate(database.url, [testMasterKey]), /newer version .*\(9999_next\.sql\)/);
});

test('for Postgres 15 no migration sets the storage of a column within create table, and a later one sets it', async () => {
  for (const file of await readdir(migrationsDirectory)) {
    const sql = withoutStorage(await readFile(path.join(migrationsDirectory, file), 'utf8'));
    const lines = sql.split('\n').filter((line) => /^[^-]*\bstorage\b/i.test(line));
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('alter table ')),
      [],
      file,
    );
  }
  const [column] = await database.asOwner<{ attstorage: string }>(
    `select attstorage from pg_attribute where attrelid = 'test_reports'::regclass and attname = 'passed'`,
  );
  assert.equal(column?.attstorage, 'e');
});

test('a start fails in time when the server accepts the connection but never answers', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await assert.rejects(migrate(`postgres://ann@127.0.0.1:${port}/x`, [testMasterKey]), {
    constructor: DatabaseUnusable,
    message: /timeout/,
  });
});

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { checkClock, checkConnections, checkKeys, checkRoles, checkVersion } from './doctor-database.ts';

const database = await createTestDatabase();
const client = new pg.Client(database.url);
client.on('error', () => {});
await client.connect();

test('the encryption key check counts the secrets that a key does not open', async () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  for (const key of [oldKey, newKey, oldKey]) {
    const id = randomUUID();
    const sealed = makeSealer([key]).seal(Buffer.from('secret'), secretContext(id));
    await insertIntegration(database, id, sealed);
  }
  const [both, one] = [
    await checkKeys(client, makeSealer([newKey, oldKey])),
    await checkKeys(client, makeSealer([newKey])),
  ];
  assert.deepEqual([both.verdict, one.verdict], ['ok', 'wrong']);
  assert.match(one.text, /^2 of 3 webhook secrets cannot be decrypted.*ENCRYPTION_KEY/);
});

test('the connections check reports more connections than the database allows', async () => {
  const check = (databasePoolMax: number) =>
    checkConnections(client, { databasePoolMax, databaseDirectUrl: undefined });
  const most = Number(/of (\d+) connections$/.exec((await check(2)).text)?.[1]);
  assert.equal((await check(Math.floor((most - 1) / 2))).verdict, 'ok');
  const tooMany = await check(Math.floor((most - 1) / 2) + 1);
  assert.equal(tooMany.verdict, 'wrong');
  assert.match(tooMany.text, /DATABASE_POOL_MAX.*max_connections/);
});

test('the roles check names a role that could bypass row-level security', async () => {
  assert.equal((await checkRoles(client)).verdict, 'ok');
  for (const fault of [
    'alter role forgewatch_worker bypassrls',
    'alter role forgewatch_worker superuser',
    'alter role forgewatch_worker nologin',
    'grant pg_read_all_data to forgewatch_worker',
    'create table owned (); alter table owned owner to forgewatch_worker',
  ]) {
    // The roles are those of all tests.
    await client.query(`begin; grant create on schema public to forgewatch_worker; ${fault}`);
    const { verdict, text } = await checkRoles(client);
    await client.query('rollback');
    assert.deepEqual(
      [verdict, text.split(' ')[0], text.includes('_api')],
      ['wrong', 'forgewatch_worker', false],
      fault,
    );
  }
});

test('the clock check reports a clock that differs from the database', async (t) => {
  assert.equal((await checkClock(client)).verdict, 'ok');
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 6_000 });
  assert.equal((await checkClock(client)).verdict, 'wrong');
});

test('the database check names a Postgres without the collation of the search', async () => {
  assert.equal((await checkVersion(client, { databaseUrl: undefined })).verdict, 'ok');
  await client.query(`begin; alter collation "und-x-icu" rename to "another"`);
  const { verdict, text } = await checkVersion(client, { databaseUrl: undefined });
  await client.query('rollback');
  assert.equal(verdict, 'wrong');
  assert.match(text, /no collation "und-x-icu": install a Postgres/);
});

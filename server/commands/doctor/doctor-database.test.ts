import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { secretContext } from '#server/integrations/secrets/webhook-secret.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { insertTask } from '#test/support/forge/insert-task.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import {
  checkClock,
  checkConnections,
  checkKeys,
  checkRoles,
  checkTasks,
  checkVersion,
} from './doctor-database.ts';

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

test('background work that waits too long or fails repeatedly is a problem, with the newest cause', async () => {
  const minuteMs = 60_000;
  const [one, two] = [await insertIntegration(database), await insertIntegration(database)];
  const check = async () => (await checkTasks(client)).map(({ verdict, text }) => [verdict, text]);
  const nothing = [['ok', 'nothing waits or fails']];
  assert.deepEqual(await check(), nothing);
  await insertTask(database, one, { kind: 'forge-history', key: '1', dueInMs: minuteMs });
  await insertTask(database, one, {
    kind: 'forge-history',
    key: '2',
    dueInMs: minuteMs,
    leasedForMs: minuteMs,
  });
  assert.deepEqual(await check(), nothing, 'work that is scheduled or runs does not wait');

  await insertTask(database, one, { kind: 'forge-logs', key: '1', dueInMs: -9 * minuteMs });
  const failing = { kind: 'forge-webhooks', dueInMs: 5 * minuteMs };
  await insertTask(database, one, {
    ...failing,
    key: '1',
    failures: 4,
    failingForMs: 90 * minuteMs,
    error: 'Old.',
  });
  assert.deepEqual(await check(), [
    ['ok', 'forge-logs: 1 waiting, the oldest for 9 min.'],
    [
      'ok',
      `forge-webhooks: 1 failing, for up to 90 min and 4 attempts; newest cause, in the integration ${one}: Old.`,
    ],
  ]);

  await insertTask(database, two, { kind: 'forge-logs', key: '1', dueInMs: -11 * minuteMs });
  await insertTask(database, two, {
    ...failing,
    key: '1',
    failures: 5,
    failingForMs: 7 * minuteMs,
    error: 'New \u001b[31m.',
  });
  const [late, repeated] = await check();
  assert.equal(late![0], 'wrong');
  assert.match(late![1]!, /^forge-logs: 2 waiting, the oldest for 11 min; check that a worker runs/);
  assert.equal(repeated![0], 'wrong');
  assert.match(
    repeated![1]!,
    new RegExp(`2 failing, for up to 90 min and 5 attempts; newest cause, in the integration ${two}: New`),
  );
  assert.equal(repeated![1]!.includes('\u001b'), false);
  await deleteRows(database, 'tasks');
});

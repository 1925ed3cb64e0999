import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { startSilentProxy } from '#test/support/network/silent-proxy.ts';
import { cutListeners } from '#test/support/database/faults.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { isDatabaseAway } from './database-error.ts';
import { openDatabase } from './database.ts';
import { makeListener } from './listener.ts';
import { roleConnection, serviceRoles } from './roles/role-connection.ts';

const database = await createTestDatabase();
const proxy = await startSilentProxy(database.url);
const throughProxy = roleConnection(proxy.url, 'forgewatch_worker', testMasterKey);
const db = openDatabase({ connection: throughProxy, maxConnections: 1, onIdleError: () => {} });
after(() => db.close());

const queryCanceled = '57014';
const select = (options = {}) => db.withScope('service', (tx) => tx.query('select 1'), options);

test('every service connection has time limits that a transaction can override', async () => {
  for (const role of serviceRoles) {
    const client = new pg.Client(roleConnection(database.url, role, testMasterKey));
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('statement_timeout') as statement,
              current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    await client.end();
    assert.deepEqual(rows, [{ statement: '30s', idle: '1min' }], role);
  }
  const shown = await db.withScope('service', (tx) => tx.query('show statement_timeout'), {
    timeoutMs: 1234,
  });
  assert.deepEqual(shown.rows, [{ statement_timeout: '1234ms' }]);
  const after = await db.withScope('service', (tx) => tx.query('show statement_timeout'));
  assert.deepEqual(after.rows, [{ statement_timeout: '30s' }]);
});

test('a wait for a lock ends after the limit with a retryable error', async () => {
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('begin; lock table ws_node');
  const waiting = database.api.withScope('service', (tx) => tx.query('select from ws_node'), {
    timeoutMs: 200,
  });
  await assert.rejects(
    waiting,
    (error: { code?: unknown }) => isDatabaseAway(error) && error.code === queryCanceled,
    'Postgres ends it before the client closes the connection',
  );
  await owner.end();
});

test('a silent network fails statements in time, and the next connection works', async () => {
  await select();
  proxy.silence();
  const startedAt = performance.now();
  await assert.rejects(select({ timeoutMs: 100 }), isDatabaseAway);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < 30_000, `${tookMs} ms, as long as without a limit of its own`);
  await select();
});

test('the listener detects a dead connection and reconnects', async () => {
  const listener = makeListener(throughProxy, pino({ level: 'silent' }), 50);
  const heard: string[] = [];
  listener.on('time_limits', (payload) => heard.push(payload));
  let connections = 0;
  listener.onConnect(() => (connections += 1));
  await listener.start();
  assert.equal(connections, 1);
  after(() => listener.stop());
  proxy.silence();
  await database.asOwner(`select pg_notify('time_limits', 'lost')`);
  await waitUntil('a notification', async () => {
    await database.asOwner(`select pg_notify('time_limits', 'again')`);
    return heard.includes('again');
  });
  assert.ok(!heard.includes('lost'));
  assert.equal(connections, 2, 'a listener that missed something catches up');
});

test('the listener keeps one connection when it is lost again while reconnecting', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const listener = makeListener(throughProxy, log);
  const heard: string[] = [];
  listener.on('second_loss', (payload) => heard.push(payload));
  await listener.start();
  after(() => listener.stop());
  proxy.cutOffAt('listen');
  await cutListeners(database, 'second_loss');
  await waitUntil('a notification', async () => {
    await database.asOwner(`select pg_notify('second_loss', '')`);
    return heard.length > 0;
  });
  assert.equal(lines.filter((line) => line.includes('listener connection lost')).length, 1);
});

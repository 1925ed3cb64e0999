import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '#platform/database/database.ts';
import { pooledConnection } from '#platform/database/roles/role-connection.ts';
import { freePort } from '#platform/runtime/processes/free-port.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { startForgetfulPooler } from '#test/support/database/pooler/forgetful-pooler.ts';
import { hasPgBouncer, startPgBouncer } from '#test/support/database/pooler/pgbouncer.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { signInAsDemo } from '#test/support/identity/demo-sign-in.ts';
import { tokenClient } from '#test/support/identity/token-client.ts';
import { openSocket } from '#test/support/identity/token-socket.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { runCommand } from '#test/support/product/run-command.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const database = await createTestDatabase();
const forgetful = await startForgetfulPooler(database.url);
const poolers = [
  { name: 'a pooler that forgets sessions', start: () => Promise.resolve(forgetful.url) },
  ...(hasPgBouncer() ? [{ name: 'PgBouncer', start: () => startPgBouncer(database) }] : []),
];

/** A process with a port of its own. */
async function environment(poolerUrl: string) {
  const port = String(await freePort());
  return {
    ...productEnv(poolerUrl, await makeTemporaryDirectory()),
    DATABASE_DIRECT_URL: database.url,
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
  };
}

for (const { name, start } of poolers) {
  const url = await start();

  test(`sign-in, webhooks, live updates between processes and doctor work through ${name}`, async () => {
    const [env, otherEnv] = [await environment(url), await environment(url)];
    const serve = await startProduct('serve', env);
    after(() => serve.kill());
    const other = await startProduct('api', otherEnv);
    after(() => other.kill());
    await signInAsDemo(env.PUBLIC_URL);
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runCommand(args, env);
      assert.equal(code, 0, stderr + stdout);
      return stdout;
    };
    const created = JSON.parse(await run('integration', 'create', '--label', name)) as CreatedIntegration;
    const ids = ['--integration', created.integrationId];
    const token = JSON.parse(await run('token', 'create', '--name', name, ...ids)) as {
      tokenId: string;
      token: string;
    };
    const { first, ws } = await openSocket(tokenClient(other.ready, token));
    const sent = await postWebhook(serve.ready, created, { event: 'workflow_run', payload: runPayload({}) });
    assert.equal(sent.status, 200);
    assert.equal(await first, created.integrationId, 'the socket is at the other process');
    ws.close();
    await run('simulate', ...ids, '--seconds', '2', '--rate', '20');
    await run('doctor');
    assert.doesNotMatch(serve.stderr() + other.stderr(), /"level":[56]0/);
    assert.equal(await serve.stop(), 0);
    assert.equal(await other.stop(), 0);
  });

  test(`every transaction has its limits and plans through ${name}`, async () => {
    const db = openDatabase({
      ...pooledConnection(url, 'forgewatch_worker', testMasterKey),
      maxConnections: 1,
      onIdleError: () => {},
    });
    after(() => db.close());
    const text = `select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans`;
    const wanted = { idle: '1min', plans: 'force_generic_plan', scans: 'off' };
    const limited = await db.withScope('service', (tx) => tx.row(text), { timeoutMs: 1234 });
    assert.deepEqual(limited, { statement: '1234ms', ...wanted });
    assert.deepEqual((await db.statement({ text })).rows, [{ statement: '30s', ...wanted }]);
  });

  test(`a start through ${name} alone says that it needs DATABASE_DIRECT_URL`, () => refusesAlone(url));
}

test('a start through a pooler that drops the settings of a session says that it needs DATABASE_DIRECT_URL', async () =>
  refusesAlone((await startForgetfulPooler(database.url, { dropsSettings: true })).url));

const ofSessions =
  /^\s*(set\s+(?!local)|listen|unlisten|prepare|execute|deallocate|discard)\b|\bpg_(try_)?advisory_lock|set_config\([^()]*,\s*false\)|\bcreate\s+temp|\bwith\s+hold\b/i;

test('no statement of the service through the pooler needs a session', () => {
  assert.ok(forgetful.statements.size > 50);
  const found = [...forgetful.statements].filter((text) => ofSessions.test(text));
  assert.deepEqual(found, []);
});

async function refusesAlone(url: string): Promise<void> {
  const env = { ...(await environment(url)), DATABASE_DIRECT_URL: '' };
  const { code, stderr } = await runCommand(['migrate'], env);
  assert.equal(code, 1);
  assert.match(stderr, /DATABASE_URL: .*set DATABASE_DIRECT_URL to the address of Postgres itself/);
}

test(
  'PgBouncer without prepared statements is named at start',
  { skip: !hasPgBouncer() && 'there is no PgBouncer 1.21 here' },
  async () => {
    const url = await startPgBouncer(database, { max_prepared_statements: '0' });
    const { code, stderr } = await runCommand(['migrate'], await environment(url));
    assert.equal(code, 1);
    assert.match(stderr, /^DATABASE_URL: .*prepare statements.*"pooler-check" already exists/m);
  },
);

test('a pooler that refuses a role is named at start', async () => {
  const url = new URL(database.url);
  url.port = String(await freePort());
  const { code, stderr } = await runCommand(['migrate'], await environment(url.href));
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^DATABASE_URL: .*should be a connection pooler that lets forgewatch_api log in and prepare statements/m,
  );
});

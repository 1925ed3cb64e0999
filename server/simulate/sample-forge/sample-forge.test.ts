import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGitea } from '#test/support/forge/gitea-server.ts';
import { startTestProgram } from '#test/support/product/test-program.ts';
import { signInAsOwner } from '#test/support/identity/owner-client.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const gitea = await startGitea();
const program = await startTestProgram({
  API_REQUESTS_PER_MINUTE: '1000000',
  ALERT_ALLOWED_NETWORKS: '127.0.0.0/8',
  ALERT_ALLOWED_PORTS: `443,${gitea.port}`,
});
const { publicUrl } = program;
const owner = await signInAsOwner(publicUrl);

interface Item {
  [field: string]: unknown;
  runId: number;
  repository: string;
  conclusion: string | null;
  status: string;
  attempt: number;
  errorLine: string | null;
  groupId: string;
}

function callerOf(integrationId: string) {
  return async (method: string, path: string, body?: object) => {
    const answer = await owner.call(method, integrationId, path, body);
    const text = await answer.text();
    return { status: answer.status, text, body: (text === '' ? {} : JSON.parse(text)) as { items: Item[] } };
  };
}

async function sentTo(integrationId: string) {
  const call = callerOf(integrationId);
  const items = async (path: string) => (await call('GET', path)).body.items;
  const sent = await call('POST', '/sample-traffic');
  assert.equal(sent.status, 202, sent.text);
  return { call, items };
}

test('sample traffic shows error lines from logs, their groups, and a re-run that fails again', async () => {
  const { integrationId } = await program.createIntegration();
  const { call, items } = await sentTo(integrationId);
  const failed = async (line: RegExp) =>
    (await items('/workflows?limit=100')).find(
      ({ errorLine, conclusion }) => conclusion === 'failure' && line.test(errorLine ?? ''),
    );
  // Its run may have passed again already.
  await waitUntil('a flaky failure', async () =>
    (await items('/failure-groups?limit=100')).some(({ errorLine }) =>
      /toomanyrequests|Timeout|ECONNRESET/.test(errorLine ?? ''),
    ),
  );
  await waitUntil(
    'a fault in the code',
    async () => (await failed(/TypeError|AssertionError|want 1001/)) !== undefined,
  );
  await waitUntil('a group of several failures', async () =>
    (await items('/failure-groups?limit=100')).some(({ failures }) => Number(failures) > 1),
  );

  const rerun = async (line: RegExp) => {
    // The samples re-run some runs themselves, which is refused to others meanwhile.
    const run = await waitUntil('a failed run to be run again', async () => {
      const found = await failed(line);
      const path = `/workflows/${found?.runId}/rerun`;
      return found && (await call('POST', path, { scope: 'failed' })).status < 300 ? found : undefined;
    });
    return waitUntil('the end of the new attempt', async () => {
      const now = (await items('/workflows?limit=100')).find(({ runId }) => runId === run.runId);
      return now !== undefined && now.attempt > run.attempt && now.status === 'completed' ? now : undefined;
    });
  };
  assert.equal((await rerun(/TypeError|AssertionError|want 1001/)).conclusion, 'failure');
});

test('sample traffic uploads reports, so that broken, flaky and new tests are listed', async () => {
  const { integrationId } = await program.createIntegration();
  const { items } = await sentTo(integrationId);
  // A test may be in a state for a moment only.
  const first: Record<string, Item | undefined> = {};
  const areSeen = async (): Promise<boolean> => {
    for (const state of ['broken', 'flaky', 'new'])
      first[state] ??= (await items(`/tests?state=${state}`))[0];
    return Object.values(first).every((test) => test !== undefined);
  };
  await waitUntil('a test in each state', areSeen, 180_000);
  assert.equal(first['flaky']?.['name'], 'a member signs in');
  await waitUntil('the tests of the nightly workflow, whose reports are artifacts', async () => {
    const names = (await items('/tests?q=test_imports_one_row')).map(({ suite }) => suite);
    return names.length > 0;
  });
});

test('sample traffic connects the integration to a forge that refuses foreign tokens', async () => {
  const { integrationId } = await program.createIntegration();
  const { call } = await sentTo(integrationId);
  const { connection } = JSON.parse((await call('GET', '/forge-connection')).text) as {
    connection: { url: string; account: string; repositories: object[] };
  };
  assert.equal(connection.account, 'Sample data');
  assert.ok(connection.repositories.length > 1);
  const foreign = `token ${integrationId}.${'A'.repeat(43)}`;
  for (const headers of [{}, { authorization: 'token x' }, { authorization: foreign }])
    assert.equal((await fetch(`${connection.url}/api/v3/user`, { headers })).status, 401);
});

test('sample traffic leaves the connection of the integration to another forge alone', async () => {
  const { integrationId } = await program.createIntegration();
  const call = callerOf(integrationId);
  const body = { forge: 'gitea', url: gitea.url, token: gitea.token };
  assert.equal((await call('PUT', '/forge-connection', body)).status, 204);
  assert.equal((await call('POST', '/sample-traffic')).status, 202);
  const { connection } = JSON.parse((await call('GET', '/forge-connection')).text) as {
    connection: { url: string };
  };
  assert.equal(connection.url, gitea.url);
});

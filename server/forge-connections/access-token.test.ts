import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForgeConnectionState } from '#contract/integrations/forge-connection.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows, storedText } from '#test/support/database/rows.ts';
import { startGiteaProduct } from '#test/support/forge/gitea-product.ts';

const { gitea, product, body } = await startGiteaProduct();

async function newConnectedTeam(repositories = ['acme/shop'], saved: object = body) {
  const team = await product.newTeam();
  const at = (rest = '') => team.path(`/forge-connection${rest}`);
  const save = await team.admin.call('PUT', at(), saved);
  assert.equal(save.status, 204, JSON.stringify(save.body));
  const choose = (names: string[]) => team.admin.call('PUT', at('/repositories'), { repositories: names });
  const state = async () => {
    const answer = await team.viewer.call('GET', at());
    return (answer.body as unknown as ForgeConnectionState).connection;
  };
  const provisioned = (count: number) =>
    waitUntil('webhooks', async () => {
      const webhooks = (await state())?.webhooks;
      return webhooks?.state === 'done' && webhooks.provisioned === count && webhooks.repositories === count;
    });
  const hooksOf = (repository: string) =>
    (gitea.hooks.get(repository) ?? []).filter(({ config }) => config.url.endsWith(team.integrationId));
  if (repositories.length > 0) {
    assert.equal((await choose(repositories)).status, 204);
    await provisioned(repositories.length);
  }
  return { ...team, at, choose, state, provisioned, hooksOf };
}

test('a token is shown to nobody and stored sealed; its account is', async () => {
  const team = await newConnectedTeam([]);
  const answer = await team.viewer.call('GET', team.at());
  const { connection } = answer.body as unknown as ForgeConnectionState;
  assert.deepEqual(
    [connection?.forge, connection?.url, connection?.account, connection?.expiresAt],
    ['gitea', gitea.url, 'build-bot', null],
  );
  assert.ok(!JSON.stringify(answer.body).includes(gitea.token));
  const stored = await storedText(product.database, 'forge_connections', {
    integration_id: team.integrationId,
  });
  assert.ok(!stored.includes(gitea.token));
  assert.ok(!product.logged().includes(gitea.token));
  const log = await team.viewer.call('GET', team.path('/event-log?type=forge_connection.saved'));
  assert.match((log.body.items as { title: string }[])[0]!.title, /access token of build-bot/);
});

test('chosen repositories get webhooks that follow the secret, and lose them when nobody chooses them', async () => {
  const team = await newConnectedTeam(['acme/shop', 'acme/site']);
  const [webhook] = team.hooksOf('acme/shop');
  assert.deepEqual(
    [webhook?.config.secret, webhook?.config.content_type, webhook?.active, webhook?.type],
    [team.webhookSecret, 'json', true, 'gitea'],
  );
  assert.ok(webhook?.events.includes('workflow_run') && webhook.events.includes('pull_request_only'));

  const rotated = await team.admin.call('POST', team.path('/rotate-secret'), {});
  await waitUntil('the new secret', () => {
    const hooks = team.hooksOf('acme/shop');
    return hooks.length === 1 && hooks[0]!.config.secret === rotated.body['webhookSecret'];
  });
  assert.equal((await team.choose(['acme/site'])).status, 204);
  await waitUntil('no webhook', () => team.hooksOf('acme/shop').length === 0);
  await team.provisioned(1);
  assert.equal((await team.admin.call('DELETE', team.at())).status, 204);
  assert.equal(await team.state(), null);
  await waitUntil('no webhook', () => team.hooksOf('acme/site').length === 0);
  const ofTeam = { integration_id: team.integrationId };
  await waitUntil(
    'no token',
    async () => (await countRows(product.database, 'forge_connections', ofTeam)) === 0,
  );
});

test('the history of chosen repositories is read, and their runs can be re-run', async () => {
  const team = await newConnectedTeam();
  assert.equal((await team.admin.call('POST', team.at('/history'), { days: 90 })).status, 202);
  await waitUntil('the history', async () => (await team.state())?.history?.state === 'done');
  assert.equal((await team.state())?.history?.runs, 1);
  const run = team.path(`/workflows/${gitea.run.id}`);
  const detail = await team.viewer.call('GET', run);
  assert.equal(detail.status, 200);
  assert.equal((detail.body['run'] as { repository: string }).repository, 'acme/shop');
  assert.equal((detail.body['jobs'] as unknown[]).length, 1);

  assert.equal((await team.member.call('POST', `${run}/rerun`, { scope: 'failed' })).status, 202);
  assert.ok(gitea.calls.includes(`POST /repos/acme/shop/actions/runs/${gitea.run.id}/rerun-failed-jobs`));
  const cancelled = await team.member.call('POST', `${run}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.code], [409, 'forge_action_not_offered']);
});

test('a token that the forge refuses is not saved, and the words of the forge are shown', async () => {
  const team = await newConnectedTeam([]);
  const { status, body: problem } = await team.admin.call('PUT', team.at(), { ...body, token: 'wrong' });
  assert.deepEqual([status, problem.code], [409, 'forge_refused']);
  assert.match(String(problem['detail']), /user does not exist/);
  assert.equal((await team.state())?.account, 'build-bot');
});

test('the limits of another token do not apply to the saved one', async () => {
  const team = await newConnectedTeam([]);
  const used = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 600),
  };
  gitea.interfere = () => ({ status: 401, headers: used });
  assert.equal((await team.admin.call('PUT', team.at(), { ...body, token: 'wrong' })).status, 409);
  gitea.interfere = undefined;
  assert.equal((await team.admin.call('GET', team.at('/repositories'))).status, 200);

  gitea.interfere = () => ({ status: 403, headers: used });
  await team.admin.call('GET', team.at('/repositories'));
  gitea.interfere = undefined;
  assert.equal((await team.admin.call('GET', team.at('/repositories'))).status, 503);
  assert.equal((await team.admin.call('PUT', team.at(), body)).status, 204);
  assert.equal((await team.admin.call('GET', team.at('/repositories'))).status, 200);
});

for (const [name, url] of [
  ['a private network', 'https://10.1.2.3'],
  ['the metadata of a cloud', 'http://169.254.169.254'],
  ['another port', 'http://127.0.0.1:22'],
  ['http outside the allowed networks', 'http://git.example.com'],
  ['an address with a password', 'https://user:password@git.example.com'],
] as const) {
  test(`an address in ${name} is refused`, async () => {
    const team = await product.newTeam();
    const { status, body: problem } = await team.admin.call('PUT', team.path('/forge-connection'), {
      ...body,
      url,
    });
    assert.deepEqual([status, problem.code], [403, 'forge_address_refused']);
  });
}

test('a forge that redirects to another server never gets the token there', async () => {
  const team = await product.newTeam();
  gitea.interfere = () => ({ status: 302, headers: { location: 'https://git.example.com/api/v1/user' } });
  const { status, body: problem } = await team.admin.call('PUT', team.path('/forge-connection'), body);
  gitea.interfere = undefined;
  assert.deepEqual([status, problem.code], [503, 'forge_unavailable']);
});

test('a repository that the token does not administer cannot be chosen', async () => {
  const team = await newConnectedTeam([]);
  const listed = await team.admin.call('GET', team.at('/repositories'));
  assert.deepEqual(listed.body['repositories'], [
    { name: 'acme/shop', mayAdminister: true },
    { name: 'acme/site', mayAdminister: true },
    { name: 'acme/foreign', mayAdminister: false },
  ]);
  for (const name of ['acme/foreign', 'acme/unknown']) {
    const { status, body: problem } = await team.choose([name]);
    assert.deepEqual([status, problem.code], [400, 'invalid_request'], name);
  }
});

test('the event log warns once of a token that expires within two weeks', async () => {
  gitea.expiry = new Date(Date.now() + 10 * 86_400_000)
    .toISOString()
    .replace('T', ' ')
    .replace(/\..*/, ' UTC');
  const team = await newConnectedTeam([], { ...body, forge: 'github' });
  const warnings = async () => {
    const { body: log } = await team.viewer.call(
      'GET',
      team.path('/event-log?type=forge_connection.expires'),
    );
    return log.items as { title: string; severity: string }[];
  };
  await waitUntil('the warning', async () => (await warnings()).length > 0);
  const rotated = await team.admin.call('POST', team.path('/rotate-secret'), {});
  assert.equal(rotated.status, 200);
  await waitUntil('another run', async () => (await team.state())?.webhooks.state === 'done');
  const [warning, ...more] = await warnings();
  assert.deepEqual(more, []);
  assert.equal(warning?.severity, 'warning');
  assert.match(warning.title, /access token of build-bot expires on \d{4}-\d{2}-\d{2}/);
});

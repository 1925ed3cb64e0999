import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxTokens } from '#contract/members/api-tokens.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import {
  expire,
  integrationToken,
  personalToken,
  tokenClient,
  type TokenClient,
} from '#test/support/identity/token-client.ts';
import { refused, startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { makeToken } from './token-format.ts';
import { openSocket } from '#test/support/identity/token-socket.ts';

const product = await startTeamProduct({ TRUSTED_PROXIES: '127.0.0.1/32' }, ['api', 'worker']);
const { newTeam, person, publicUrl, baseUrl } = product;
const dayMs = 86_400_000;
const daysFromNow = (time: unknown): number => Math.round((Date.parse(String(time)) - Date.now()) / dayMs);

test('a personal token is shown once, works until it is revoked, and expires after 90 days by default', async () => {
  const { owner, integrationId } = await newTeam();
  const created = await owner.call('POST', '/api/user/tokens', { name: ' Laptop ', scopes: ['write'] });
  assert.equal(created.status, 201);
  assert.equal(created.headers.get('cache-control'), 'no-store');
  const { token, tokenId, name, scopes, expiresAt } = created.body as Record<string, unknown>;
  assert.match(String(token), /^fw_[0-9A-Za-z]{36}$/);
  assert.deepEqual([name, scopes, daysFromNow(expiresAt)], ['Laptop', ['read', 'write'], 90]);

  const client = tokenClient(publicUrl, { tokenId: String(tokenId), token: String(token) });
  const { body } = await client.call('GET', '/api/integrations');
  assert.ok(body.items.some((one) => one['integrationId'] === integrationId && one['role'] === 'owner'));
  const list = await owner.call('GET', '/api/user/tokens');
  const listed = list.body.items.find((one) => one['tokenId'] === tokenId);
  assert.equal(listed?.['name'], 'Laptop');
  assert.equal(JSON.stringify(list.body).includes(String(token)), false);

  assert.equal((await owner.call('DELETE', `/api/user/tokens/${String(tokenId)}`)).status, 204);
  refused(await client.call('GET', '/api/integrations'), 401, 'invalid_token');
  refused(await owner.call('DELETE', `/api/user/tokens/${String(tokenId)}`), 404, 'not_found');
});

test('a token lives a year at most, and names integrations of its person only', async () => {
  const { viewer } = await newTeam();
  const foreign = (await (await person('stranger')).call('POST', '/api/integrations', { label: 'Own' })).body;
  const create = (fields: object) =>
    viewer.call('POST', '/api/user/tokens', { name: 'Script', scopes: ['read'], ...fields });
  const at = (days: number): string => new Date(Date.now() + days * dayMs).toISOString();
  for (const expiresAt of [at(-1), at(367), 'never'])
    refused(await create({ expiresAt }), 400, 'invalid_request');
  assert.equal(daysFromNow((await create({ expiresAt: at(365) })).body['expiresAt']), 365);
  for (const integrationIds of [[], [foreign['integrationId']], ['x']])
    refused(await create({ integrationIds }), 400, 'invalid_request');
  for (const fields of [{ scopes: [] }, { scopes: ['admin'] }, { name: '' }, { userId: viewer.userId }])
    refused(await create(fields), 400, 'invalid_request');
});

test('the number of tokens of a person and of an integration is limited', async () => {
  const team = await newTeam();
  const collector = await person('collector');
  for (let made = 0; made < maxTokens; made += 1) {
    await personalToken(product, collector);
    await integrationToken(product, team, 'viewer');
  }
  const body = { name: 'One too many', scopes: ['read'] };
  refused(await collector.call('POST', '/api/user/tokens', body), 403, 'token_limit_reached');
  const ofTeam = await team.admin.call('POST', team.path('/tokens'), {
    name: 'One too many',
    role: 'viewer',
  });
  refused(ofTeam, 403, 'token_limit_reached');
});

test('a personal token loses a right in the moment in which its person does', async () => {
  const team = await newTeam();
  const client = await personalToken(product, team.member);
  const rename = () => client.call('PATCH', team.path(), { label: 'Renamed' });
  const read = () => client.call('GET', team.path());
  refused(await rename(), 403, 'insufficient_role');
  await team.owner.call('PATCH', team.path(`/members/${team.member.userId}`), { role: 'admin' });
  assert.equal((await rename()).status, 200);
  assert.equal((await read()).body['role'], 'admin');
  await team.owner.call('PATCH', team.path(`/members/${team.member.userId}`), { role: 'viewer' });
  refused(await rename(), 403, 'insufficient_role');
  assert.equal((await read()).status, 200);
  await team.owner.call('DELETE', team.path(`/members/${team.member.userId}`));
  refused(await read(), 403, 'insufficient_role');
  const { body } = await client.call('GET', '/api/integrations');
  assert.equal(
    body.items.some((one) => one['integrationId'] === team.integrationId),
    false,
  );
});

test('a token that is limited to integrations sees no other in any list', async () => {
  const [one, other] = [await newTeam('One'), await newTeam('Other')];
  const client = await personalToken(product, one.owner, { integrationIds: [one.integrationId] });
  const { body } = await client.call('GET', '/api/integrations');
  assert.deepEqual(
    body.items.map((each) => each['label']),
    ['One'],
  );
  refused(await client.call('GET', other.path()), 403, 'insufficient_role');
  const socket = await openSocket(client);
  await sendRun(other);
  await sendRun(one);
  assert.equal(await socket.first, one.integrationId);
  socket.ws.terminate();
});

test('a token of an integration survives its creator and acts with its own role', async () => {
  const team = await newTeam();
  const made = await team.admin.call('POST', team.path('/tokens'), { name: 'Bot', role: 'member' });
  assert.equal(made.status, 201);
  const { token, tokenId } = made.body as unknown as TokenClient;
  const client = tokenClient(publicUrl, { tokenId, token });
  await team.owner.call('DELETE', team.path(`/members/${team.admin.userId}`));
  const { body } = await client.call('GET', '/api/integrations');
  assert.deepEqual(
    body.items.map((one) => [one['integrationId'], one['role']]),
    [[team.integrationId, 'member']],
  );
  assert.equal((await client.call('GET', team.path('/workflows'))).status, 200);
  const [listed] = (await team.owner.call('GET', team.path('/tokens'))).body.items;
  assert.deepEqual(
    [listed?.['name'], listed?.['role'], listed?.['scopes']],
    ['Bot', 'member', ['read', 'write']],
  );
  const members = await team.owner.call('GET', team.path('/members'));
  assert.equal(JSON.stringify(members.body).includes(tokenId), false);

  assert.equal((await team.owner.call('DELETE', team.path(`/tokens/${tokenId}`))).status, 204);
  refused(await client.call('GET', team.path()), 401, 'invalid_token');
  const types = (await product.entries(team.integrationId)).map(({ type }) => type);
  assert.ok(types.includes('token.created') && types.includes('token.revoked'), types.join());
});

test('changes by a token are in the event log and in the audit log with the name of the token', async () => {
  const team = await newTeam();
  const client = await personalToken(product, team.owner);
  await client.call('PATCH', team.path(), { label: 'By a script' });
  await client.call('POST', team.path('/event-log/mark-all-read'), {});
  await client.call('GET', team.path());
  const read = async () =>
    (await team.viewer.call('GET', team.path('/event-log'))).body.items.filter(
      ({ details }) => (details as Record<string, unknown>)['tokenId'] === client.tokenId,
    );
  await waitUntil('both changes to be logged', async () => (await read()).length === 2);
  const entries = (await read()).map(({ type, title, actor, details }) => {
    const { token, tokenId } = details as Record<string, unknown>;
    return { type, title, actor: (actor as { userId: string }).userId, token, tokenId };
  });
  const by = { actor: team.owner.userId, token: 'Script', tokenId: client.tokenId };
  assert.deepEqual(entries, [
    {
      type: 'token.used',
      title: 'The API token “Script” was used for POST /event-log/mark-all-read',
      ...by,
    },
    { type: 'integration.renamed', title: entries[1]?.title, ...by },
  ]);
  const audit = product
    .logged()
    .split('\n')
    .filter((line) => line.includes('"audit":"token-used"') && line.includes(client.tokenId));
  assert.equal(audit.length, 2);
});

test('the last use is stored with its address', async () => {
  const team = await newTeam();
  const client = await personalToken(product, team.viewer);
  await client.call('GET', team.path(), undefined, { 'x-forwarded-for': '203.0.113.7' });
  await waitUntil('the use to be stored', async () => {
    const { items } = (await team.viewer.call('GET', '/api/user/tokens')).body;
    const { lastUsedAt, lastUsedAddress } = items.find((one) => one['tokenId'] === client.tokenId) ?? {};
    return daysFromNow(lastUsedAt) === 0 && lastUsedAddress === '203.0.113.7';
  });
});

test('guesses are limited by address, and tokens in use at the same address are not', async () => {
  const team = await newTeam();
  const valid = await personalToken(product, team.viewer);
  assert.equal((await valid.call('GET', team.path())).status, 200);
  const from = { 'x-forwarded-for': '203.0.113.99' };
  const guess = () =>
    tokenClient(publicUrl, { tokenId: '', token: makeToken() }).call(
      'GET',
      '/api/integrations',
      undefined,
      from,
    );
  const statuses: number[] = [];
  for (let tries = 0; tries < 25; tries += 1) statuses.push((await guess()).status);
  assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
  assert.equal((await valid.call('GET', team.path(), undefined, from)).status, 200);
  const elsewhere = { 'x-forwarded-for': '203.0.113.100' };
  const other = tokenClient(publicUrl, { tokenId: '', token: makeToken() });
  refused(await other.call('GET', '/api/integrations', undefined, elsewhere), 401, 'invalid_token');
});

test('a token counts its requests apart from the session of its person', async () => {
  const limited = await startTeamProduct({ API_REQUESTS_PER_MINUTE: '30' });
  const team = await limited.newTeam();
  const client = await personalToken(limited, team.viewer);
  const statuses = new Set<number>();
  for (let sent = 0; sent < 31; sent += 1) statuses.add((await client.call('GET', team.path())).status);
  assert.deepEqual([...statuses], [200, 429]);
  const last = await client.call('GET', team.path());
  assert.equal(last.headers.get('ratelimit-policy'), '"default";q=30;w=60');
  assert.match(last.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/);
  assert.equal((await team.viewer.call('GET', team.path())).status, 200);
});

test('requests of programs need no origin, and one from a page of another site is refused', async () => {
  const team = await newTeam();
  const client = await personalToken(product, team.owner);
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  assert.equal((await client.call('PATCH', team.path(), { label: 'Any origin' }, headers)).status, 200);
  const preflight = await fetch(publicUrl + team.path(), {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-headers': 'authorization' },
  });
  assert.doesNotMatch(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/i);
});

test('sockets that a token opened end when it is revoked', async () => {
  const team = await newTeam();
  const bot = await integrationToken(product, team, 'viewer');
  const own = await personalToken(product, team.viewer);
  const sockets = [await openSocket(bot), await openSocket(own)];
  await sendRun(team);
  for (const { first } of sockets) assert.equal(await first, team.integrationId);
  await team.owner.call('DELETE', team.path(`/tokens/${bot.tokenId}`));
  await team.viewer.call('DELETE', `/api/user/tokens/${own.tokenId}`);
  for (const { closed } of sockets) assert.equal(await closed, 4401);
});

test('sockets that a token opened end when it expires', async () => {
  const team = await newTeam();
  const clients = [
    await integrationToken(product, team, 'viewer'),
    await personalToken(product, team.viewer),
  ];
  for (const client of clients) await expire(product, client, 3);
  const sockets = await Promise.all(clients.map(openSocket));
  for (const { closed } of sockets) assert.equal(await closed, 4205);
});

test('an expired token is refused, and no token is ever logged', async () => {
  const team = await newTeam();
  const client = await personalToken(product, team.owner);
  await client.call('GET', team.path(`/workflows?q=${client.token}`));
  await expire(product, client);
  refused(await client.call('GET', team.path()), 401, 'invalid_token');
  assert.doesNotMatch(product.logged(), /fw_[0-9A-Za-z]/);
});

async function sendRun(team: Team): Promise<void> {
  await postWebhook(baseUrl, team, { event: 'workflow_run', payload: runPayload() });
}

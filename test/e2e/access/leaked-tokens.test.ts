import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { newBadge, newShareLink } from '#test/support/product/route-objects.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';

const product = await startTeamProduct({ TRUSTED_PROXIES: '127.0.0.1/32' });
const { publicUrl } = product;
const team = await product.newTeam();
const { token } = await personalToken(product, team.owner);
const badgeId = await newBadge({ product, team, caller: team.owner });

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(publicUrl + path, { method, headers });

test('an API token in an address or a cookie identifies nobody, and is in no answer and no log', async () => {
  const paths = ['', '/workflows', '/cctray.xml', '/incidents.atom', '/metrics.txt'].map((rest) =>
    team.path(rest),
  );
  const inVain: { query: string; headers: Record<string, string> }[] = [
    ...['access_token', 'token', 'api_key'].map((name) => ({ query: `?${name}=${token}`, headers: {} })),
    { query: '', headers: { cookie: `accessToken=${token}` } },
    { query: '', headers: { 'x-api-key': token } },
  ];
  for (const path of ['/api/integrations', '/api/auth/ws-token', '/mcp', ...paths])
    for (const { query, headers } of inVain) {
      const answer = await ask(path + query, headers, path === '/mcp' ? 'POST' : 'GET');
      assert.equal(answer.status, 401, path + JSON.stringify(headers));
      assert.equal((await answer.text()).includes(token), false);
    }
  const refused = await ask(`${team.path('/workflows')}?${token}=1`, { authorization: `Bearer ${token}` });
  assert.equal(refused.status, 400);
  assert.equal(product.logged().includes(token), false);
});

test('no page sends its address to another site', async () => {
  const linkId = await newShareLink({ product, team, caller: team.owner });
  const pages = [
    '/',
    `/wall/${linkId}`,
    '/account',
    '/invitations/accept',
    `/integrations/${team.integrationId}/runs`,
  ];
  for (const path of pages) {
    const answer = await ask(path, { accept: 'text/html' });
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer', path);
  }
});

/** The answer without what differs between any two requests. */
async function refusalOf(path: string, headers: Record<string, string> = {}) {
  const answer = await ask(path, headers);
  const { requestId: _, ...body } = (await answer.json()) as Record<string, unknown>;
  return { status: answer.status, body };
}

test('ids of others and ids of nothing have one answer', async () => {
  const foreign: Team = await product.newTeam();
  const outsider = await personalToken(product, await product.person('outsider'));
  const headers = { authorization: `Bearer ${outsider.token}` };
  for (const rest of ['', '/workflows', '/badges', '/share-links', '/cctray.xml']) {
    const known = await refusalOf(foreign.path(rest), headers);
    assert.equal(known.status, 403);
    assert.deepEqual(await refusalOf(`/api/integrations/${randomUUID()}${rest}`, headers), known);
  }
  const removed = await newBadge({ product, team, caller: team.owner });
  await team.owner.call('DELETE', team.path(`/badges/${removed}`));
  const never = randomBytes(16).toString('base64url');
  assert.deepEqual(await refusalOf(`/badge/${removed}.json`), await refusalOf(`/badge/${never}.json`));
});

test('an address that tries ids of badges is stopped, and badges stay visible to others', async () => {
  const guesser = { 'x-forwarded-for': '203.0.113.50' };
  const statuses = new Set<number>();
  for (let round = 0; round < 13; round += 1) {
    const guesses = Array.from({ length: 50 }, () =>
      ask(`/badge/${randomBytes(16).toString('base64url')}.json`, guesser),
    );
    for (const answer of await Promise.all(guesses)) statuses.add(answer.status);
  }
  assert.deepEqual([...statuses], [404, 429]);
  assert.equal((await ask(`/badge/${badgeId}.json`, { 'x-forwarded-for': '203.0.113.51' })).status, 200);
});

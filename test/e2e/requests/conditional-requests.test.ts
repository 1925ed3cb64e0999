import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const team = await product.newTeam('Polled');
const { token } = await personalToken(product, team.owner);
const url = (path: string): string => product.publicUrl + team.path(path);
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url(path), { headers: { authorization: `Bearer ${token}`, ...headers } });

let runs = 0;
async function addRun(): Promise<void> {
  runs += 1;
  const run = {
    id: runs,
    name: 'CI',
    workflow_id: 1,
    head_branch: 'main',
    created_at: new Date().toISOString(),
  };
  const completed = { status: 'completed', conclusion: 'failure', updated_at: run.created_at };
  await postWebhook(product.baseUrl, team, {
    event: 'workflow_run',
    payload: runPayload({ ...run, ...completed }),
  });
  await waitUntil('the run to be stored', async () => (await get(`/workflows/${runs}`)).status === 200);
}
await addRun();

for (const path of ['/workflows', '/wallboard', '/cctray.xml', '/metrics.txt', '/deliveries']) {
  test(`GET ${path} answers 304 until something changes, to programs that keep their own answers`, async () => {
    const first = await get(path);
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^W\/"[^"]+"$/);
    assert.equal(first.headers.get('cache-control'), 'private, no-cache');
    assert.ok((await first.text()).length > 0);
    const same = await get(path, { 'if-none-match': tag, 'accept-encoding': 'gzip' });
    assert.deepEqual([same.status, same.headers.get('etag'), await same.text()], [304, tag, '']);
    assert.equal(same.headers.get('content-encoding'), null);
    assert.equal((await get(path, { 'if-none-match': '"another"' })).status, 200);
    await addRun();
    const changed = await get(path, { 'if-none-match': tag });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), tag);
  });
}

test('lists of failures and the feed of incidents answer 304 too', async () => {
  // An open incident lasts longer with each answer.
  const incidents = '/incidents?status=closed';
  for (const path of ['/failure-groups', incidents, '/incidents.atom', '/jobs', '/pull-requests']) {
    const tag = (await get(path)).headers.get('etag') ?? '';
    assert.equal((await get(path, { 'if-none-match': tag })).status, 304, path);
  }
});

test('a badge has a tag and stays public', async () => {
  const body = { repository: 'acme/site', workflow: 'CI', branch: 'main' };
  const { body: badge } = await team.owner.call('POST', team.path('/badges'), body);
  const address = `${product.publicUrl}/badge/${String(badge['badgeId'])}.svg`;
  const first = await fetch(address);
  const tag = first.headers.get('etag') ?? '';
  assert.equal(first.headers.get('cache-control'), 'public, max-age=60');
  assert.equal((await fetch(address, { headers: { 'if-none-match': tag } })).status, 304);
});

test('a tag opens nothing to a caller who lost the right', async () => {
  const reader = await personalToken(product, team.viewer);
  const path = team.path('/workflows');
  const tag = (await reader.call('GET', path)).headers.get('etag') ?? '';
  await team.owner.call('DELETE', team.path(`/members/${team.viewer.userId}`));
  const answer = await reader.call('GET', path, undefined, { 'if-none-match': tag });
  assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_role']);
});

test('a browser keeps no answer of a person', async () => {
  const { headers } = await team.owner.call('GET', team.path('/workflows'));
  assert.equal(headers.get('cache-control'), 'no-store');
});

test('webhooks, changes and answers with secrets have no tag', async () => {
  const delivered = await fetch(`${product.baseUrl}/api/import/${team.integrationId}`, {
    method: 'POST',
    body: '{}',
  });
  const changed = await team.owner.call('PATCH', team.path(''), { label: 'Renamed' });
  const secret = await team.owner.call('GET', '/api/auth/ws-token');
  for (const { headers } of [delivered, changed, secret]) assert.equal(headers.get('etag'), null);
});

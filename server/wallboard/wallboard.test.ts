import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { publicUrl, baseUrl } = product;
const team = await product.newTeam('Shop');
const startedAt = Date.now() - 60_000;
let runs = 0;

async function send(to: Team, run: Record<string, unknown>): Promise<void> {
  runs += 1;
  const created_at = new Date(startedAt + runs * 1000).toISOString();
  const payload = runPayload({ id: runs, head_branch: 'main', status: 'completed', created_at, ...run });
  await postWebhook(baseUrl, to, { event: 'workflow_run', payload });
  const id = runs;
  await waitUntil('the run to be stored', async () => {
    const { status } = await to.viewer.call('GET', to.path(`/workflows/${id}`));
    return status === 200;
  });
}

await send(team, { name: 'CI', conclusion: 'success' });
await send(team, { name: 'CI', conclusion: 'failure', display_title: 'Fix it, ann@example.com' });
await send(team, { name: 'CI', conclusion: 'success', head_branch: 'topic' });
await send(team, { name: 'Deploy', conclusion: 'success' });

interface Answer {
  status: number;
  body: { tiles: Record<string, unknown>[]; code?: string; [field: string]: unknown };
}

/** As a screen does that knows only the address of a link. */
async function open(address: string): Promise<Answer> {
  const secret = new URL(address).hash.slice(1);
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetch(`${publicUrl}/api/shared-wallboard`, { headers });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

async function newLink(to: Team, filter: object = {}): Promise<{ url: string; linkId: string }> {
  const { status, body } = await to.admin.call('POST', to.path('/share-links'), { name: 'Office', filter });
  assert.equal(status, 201);
  return { url: String(body['url']), linkId: String(body['linkId']) };
}

const shown = ({ body }: { body: { [field: string]: unknown } }) =>
  (body['tiles'] as Record<string, unknown>[]).map(({ workflow, state }) => [workflow, state]);

test('the wallboard shows the default branch of each workflow, failed ones first', async () => {
  const answer = await team.viewer.call('GET', team.path('/wallboard'));
  assert.deepEqual(shown(answer), [
    ['CI', 'failed'],
    ['Deploy', 'passed'],
  ]);
  assert.deepEqual(shown(await team.viewer.call('GET', team.path('/wallboard?workflow=Deploy,Nightly'))), [
    ['Deploy', 'passed'],
  ]);
  assert.deepEqual(shown(await team.viewer.call('GET', team.path('/wallboard?repository=acme/other'))), []);
});

test('a share link shows what its filter selects, without e-mail addresses and without an account', async () => {
  const { url } = await newLink(team);
  const all = await open(url);
  assert.deepEqual(shown(all), [
    ['CI', 'failed'],
    ['Deploy', 'passed'],
  ]);
  const text = JSON.stringify(all.body);
  assert.match(text, /Fix it, …/);
  assert.doesNotMatch(text, /@/);
  assert.deepEqual(shown(await open((await newLink(team, { workflow: 'Deploy' })).url)), [
    ['Deploy', 'passed'],
  ]);
});

test('a link of one integration shows nothing of another, and opens nothing else', async () => {
  const other = await product.newTeam('Garden');
  const { url } = await newLink(other);
  assert.deepEqual(shown(await open(url)), []);
  const headers = { authorization: `Bearer ${new URL(url).hash.slice(1)}` };
  for (const path of ['/wallboard', '/workflows', '', '/share-links']) {
    const { status } = await fetch(publicUrl + other.path(path), { headers });
    assert.equal(status, 401, path);
  }
});

test('a revoked, incomplete or unknown link is refused like any other', async () => {
  const { url, linkId } = await newLink(team);
  assert.equal((await open(url)).status, 200);
  assert.equal((await team.admin.call('DELETE', team.path(`/share-links/${linkId}`))).status, 204);
  for (const address of [url, url.slice(0, -1), `${publicUrl}/wall/1#${'A'.repeat(43)}`, `${publicUrl}/#`]) {
    const { status, body } = await open(address);
    assert.deepEqual([status, body.code], [401, 'invalid_share_link'], address);
  }
});

test('guesses are limited by address, and a link that is valid keeps working', async () => {
  const { url } = await newLink(team);
  const guess = () => open(`${publicUrl}/#${'B'.repeat(43)}`);
  const statuses = await Promise.all(Array.from({ length: 40 }, guess));
  assert.ok(statuses.some(({ status }) => status === 429));
  assert.equal((await open(url)).status, 200);
});

test('only admins create links, viewers see them, and the list never contains a secret', async () => {
  const { url } = await newLink(team);
  const secret = new URL(url).hash.slice(1);
  const link = { name: 'Lobby', filter: {} };
  assert.equal((await team.member.call('POST', team.path('/share-links'), link)).status, 403);
  const { body } = await team.viewer.call('GET', team.path('/share-links'));
  assert.ok(body.items.length > 0);
  assert.equal(JSON.stringify(body).includes(secret), false);
  const { body: log } = await team.admin.call('GET', team.path('/event-log'));
  assert.ok(log.items.some(({ type }) => type === 'share_link.created'));
  assert.equal(JSON.stringify(log).includes(secret), false);
});

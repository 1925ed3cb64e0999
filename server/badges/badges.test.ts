import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { openPage } from '#test/support/browser/browser.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Answer, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { drawBadge, labelOf } from './public-badge.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { publicUrl, baseUrl } = product;

const startedAt = Date.now() - 60_000;
let runs = 0;
async function send(team: Team, conclusion: string | null, run: Record<string, unknown> = {}) {
  runs += 1;
  const created_at = new Date(startedAt + runs * 1000).toISOString();
  const status = conclusion === null ? 'in_progress' : 'completed';
  const payload = runPayload({
    id: runs,
    name: 'CI',
    head_branch: 'main',
    status,
    conclusion,
    created_at,
    ...run,
  });
  await postWebhook(baseUrl, team, { event: 'workflow_run', payload });
  await waitUntil('the run to be stored', async () => {
    const { status } = await team.viewer.call('GET', team.path(`/workflows/${runs}`));
    return status === 200;
  });
}

const ask = (path: string) => fetch(publicUrl + path);

async function messageOf(badgeId: unknown): Promise<string> {
  const answer = await ask(`/badge/${String(badgeId)}.json`);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { message: string }).message;
}

const create = (team: Team, body: object): Promise<Answer> =>
  team.admin.call('POST', team.path('/badges'), body);
const ci = { repository: 'acme/site', workflow: 'CI' };

test('a badge shows everybody the newest result of a workflow, of the default branch or another', async () => {
  const team = await product.newTeam();
  await send(team, 'success');
  await send(team, 'failure', { head_branch: 'topic' });
  const main = await create(team, ci);
  const topic = await create(team, { ...ci, branch: 'topic' });
  const none = await create(team, { ...ci, branch: 'none' });
  assert.deepEqual([main.status, topic.status, none.status], [201, 201, 201]);
  assert.deepEqual(await Promise.all([main, topic, none].map(({ body }) => messageOf(body['badgeId']))), [
    'passing',
    'failing',
    'no result',
  ]);

  await send(team, null);
  assert.equal(await messageOf(main.body['badgeId']), 'passing', 'a running run is no result');
  await send(team, 'cancelled');
  assert.equal(await messageOf(main.body['badgeId']), 'passing', 'a cancelled run is no result');
  await send(team, 'timed_out');
  assert.equal(await messageOf(main.body['badgeId']), 'failing');
});

test('the image is an SVG that a browser shows, and caches keep it for a minute', async () => {
  const team = await product.newTeam();
  await send(team, 'success', { name: '<script>alert(1)</script> & "quotes"' });
  const { body } = await create(team, { ...ci, workflow: '<script>alert(1)</script> & "quotes"' });
  assert.equal(body['imageUrl'], `${publicUrl}/badge/${String(body['badgeId'])}.svg`);
  const answer = await fetch(String(body['imageUrl']));
  assert.match(answer.headers.get('content-type') ?? '', /^image\/svg\+xml/);
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
  assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  const svg = await answer.text();
  assert.doesNotMatch(svg, /<script/);
  assert.match(svg, /passing/);
  const { page } = await openPage();
  const width = await page.evaluate(`new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image.naturalWidth);
    image.onerror = () => reject(new Error('not an image'));
    image.src = 'data:image/svg+xml,' + encodeURIComponent(${JSON.stringify(svg)});
  })`);
  assert.ok(Number(width) > 50, String(width));
});

test('the answer for shields.io has the form of its endpoint badge', async () => {
  const team = await product.newTeam();
  await send(team, 'failure', { name: 'W'.repeat(200) });
  const { body } = await create(team, { ...ci, workflow: 'W'.repeat(200) });
  assert.deepEqual(await (await fetch(String(body['endpointUrl']))).json(), {
    schemaVersion: 1,
    label: `${'W'.repeat(59)}…`,
    message: 'failing',
    color: 'red',
    isError: true,
  });
});

test('a removed badge, an unknown id and a malformed one show nothing', async () => {
  const team = await product.newTeam();
  await send(team, 'success');
  const { body } = await create(team, ci);
  const path = `/badge/${String(body['badgeId'])}.svg`;
  assert.equal((await ask(path)).status, 200);
  assert.equal(
    (await team.admin.call('DELETE', team.path(`/badges/${String(body['badgeId'])}`))).status,
    204,
  );
  assert.equal((await ask(path)).status, 404);
  assert.equal((await ask(`/badge/${randomBytes(16).toString('base64url')}.svg`)).status, 404);
  assert.equal((await ask('/badge/1.svg')).status, 400);
  assert.equal((await ask(`/badge/${team.integrationId}.json`)).status, 400);
  const { body: log } = await team.admin.call('GET', team.path('/event-log'));
  const types = log.items.map(({ type }) => type);
  assert.ok(types.includes('badge.created') && types.includes('badge.removed'), types.join());
});

test('a workflow has one badge for each branch, and none without a run', async () => {
  const team = await product.newTeam();
  await send(team, 'success');
  assert.equal((await create(team, ci)).status, 201);
  assert.deepEqual([(await create(team, ci)).body.code, (await create(team, ci)).status], ['conflict', 409]);
  const unknown = await create(team, { ...ci, workflow: 'Nightly' });
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
  const { body } = await team.viewer.call('GET', team.path('/badges'));
  assert.deepEqual(
    body.items.map(({ workflow, branch }) => [workflow, branch]),
    [['CI', null]],
  );
});

test('any name becomes a well-formed image', async () => {
  const names = fc.sample(fc.string({ maxLength: 200, unit: 'binary' }), { numRuns: 500, seed: 7 });
  const images = await Promise.all(
    [...names, '\ud83d'.repeat(99), '😀'.repeat(40)].map((name) =>
      drawBadge({ schemaVersion: 1, label: labelOf(name), message: 'passing', color: 'red', isError: false }),
    ),
  );
  const { page } = await openPage();
  const faults = await page.evaluate(`${JSON.stringify(images)}.filter((image) =>
    new DOMParser().parseFromString(image, 'image/svg+xml').querySelector('parsererror, script'))`);
  assert.deepEqual(faults, []);
});

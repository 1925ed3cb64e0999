import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunsByIntegration } from '#contract/runs/found-runs.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { personalToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);

const sha = '5f3a91c20b';

/** An integration with one run, which the people may see. */
async function withRun(id: number, ...people: Person[]): Promise<Team> {
  const team = await product.newTeam();
  const payload = runPayload({
    id,
    head_sha: sha,
    display_title: `Run ${id}`,
    created_at: new Date().toISOString(),
  });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  for (const person of people) await product.setRole(team.integrationId, person, 'viewer');
  return team;
}

/** The ids of the found runs by integration. */
async function find(by: Person, query: string): Promise<[string, number[]][]> {
  const { status, body } = await by.call('GET', `/api/search/runs?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as unknown as RunsByIntegration).items.map(({ integrationId, items }) => [
    integrationId,
    items.map(({ runId }) => runId),
  ]);
}

test('a person finds runs in all of their integrations and in no other', async () => {
  const [ada, bo] = [await product.person('ada'), await product.person('bo')];
  const [mine, other, foreign] = [await withRun(11, ada), await withRun(12, ada), await withRun(13, bo)];
  await waitUntil('both runs', async () => (await find(ada, `q=${sha}`)).length === 2);
  await waitUntil('the foreign run', async () => (await find(bo, `q=${sha}`)).length === 1);
  const expected = [
    [mine.integrationId, [11]],
    [other.integrationId, [12]],
  ];
  assert.deepEqual(await find(ada, `q=${sha}&first=${mine.integrationId}`), expected);
  assert.deepEqual(await find(ada, `q=${sha}&first=${other.integrationId}`), expected.toReversed());
  assert.deepEqual(await find(ada, `q=13&first=${foreign.integrationId}`), []);
  assert.deepEqual(await find(ada, 'q=run+12'), [[other.integrationId, [12]]]);
});

test('an API token finds runs only where it may read', async () => {
  const cleo = await product.person('cleo');
  const [, other] = [await withRun(21, cleo), await withRun(22, cleo)];
  await waitUntil('both runs', async () => (await find(cleo, 'q=run')).length === 2);
  const limited = await personalToken(product, cleo, { integrationIds: [other.integrationId] });
  const { body } = await limited.call('GET', '/api/search/runs?q=run');
  assert.deepEqual(
    body.items.map(({ integrationId }) => integrationId),
    [other.integrationId],
  );
});

test('the search refuses texts that are empty or too long', async () => {
  const dan = await product.person('dan');
  for (const q of ['', 'x'.repeat(256)])
    assert.equal((await dan.call('GET', `/api/search/runs?q=${q}`)).status, 400);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { Overview } from '#contract/metrics/overview.ts';
import type { HiddenWorkflow } from '#contract/runs/hidden-workflows.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const startedAt = Date.now() - 60_000;
let runs = 0;

/** Stores a completed run of the default branch. */
async function send(team: Team, name: string, conclusion: string): Promise<void> {
  runs += 1;
  const id = runs;
  const created_at = new Date(startedAt + id * 1000).toISOString();
  const payload = runPayload({
    id,
    name,
    conclusion,
    head_branch: 'main',
    status: 'completed',
    created_at,
    updated_at: created_at,
  });
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload });
  await waitUntil(
    'the run to be stored',
    async () => (await team.viewer.call('GET', team.path(`/workflows/${id}`))).status === 200,
  );
}

async function get<T>(team: Team, path: string): Promise<T> {
  return (await team.viewer.call('GET', team.path(path))).body as unknown as T;
}

const tiles = async (team: Team): Promise<string[]> =>
  (await get<Wall>(team, '/wallboard')).tiles.map(({ workflow }) => workflow);

const attention = async (team: Team): Promise<string[]> =>
  (await get<Overview>(team, '/overview')).needsAttention.map(({ workflow }) => workflow);

const incidents = async (team: Team): Promise<Incident[]> =>
  (await get<{ items: Incident[] }>(team, '/incidents')).items;

const titles = async (team: Team): Promise<string[]> =>
  (await get<{ items: { title: string }[] }>(team, '/event-log?type=repository,incident.closed')).items.map(
    ({ title }) => title,
  );

async function cctray(team: Team): Promise<string> {
  const { token } = await integrationToken(product, team, 'viewer');
  const answer = await fetch(`${product.publicUrl}${team.path('/cctray.xml')}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return answer.text();
}

const hide = (team: Team, workflow: string, by = team.admin) =>
  by.call('POST', team.path('/hidden-workflows'), { repository: 'acme/site', workflow });

test('a hidden workflow is off every screen, its incident closes, and no later failure brings it back', async () => {
  const team = await product.newTeam();
  await team.admin.call('POST', team.path('/notification-rules'), { ...ruleBody() });
  await send(team, 'CI', 'failure');
  await send(team, 'Nightly', 'failure');
  await waitUntil('two incidents', async () => (await incidents(team)).length === 2);
  assert.deepEqual((await tiles(team)).toSorted(), ['CI', 'Nightly']);
  assert.deepEqual((await attention(team)).toSorted(), ['CI', 'Nightly']);

  const { status, body } = await hide(team, 'CI');
  assert.equal(status, 201);
  const hidden = body as unknown as HiddenWorkflow;
  assert.equal(hidden.hiddenBy?.userId, team.admin.userId);
  assert.deepEqual(await tiles(team), ['Nightly']);
  assert.deepEqual(await attention(team), ['Nightly']);
  const xml = await cctray(team);
  assert.ok(xml.includes('acme/site Nightly') && !xml.includes('acme/site CI'), xml);
  const closed = (await incidents(team)).filter(({ status: now }) => now === 'closed');
  assert.deepEqual(
    closed.map(({ workflow, closeReason, closedBy }) => [workflow, closeReason, closedBy?.userId]),
    [['CI', 'hidden', team.admin.userId]],
  );
  assert.deepEqual((await titles(team)).slice(0, 2).toSorted(), [
    'CI of acme/site was hidden',
    'The incident of CI in acme/site on main was closed, because its workflow was hidden',
  ]);

  await send(team, 'CI', 'failure');
  await send(team, 'Nightly', 'failure');
  await waitUntil('the failure of the other workflow to count', async () =>
    (await incidents(team)).some(({ failedRuns }) => failedRuns === 2),
  );
  assert.equal((await incidents(team)).length, 2);
  assert.deepEqual(await tiles(team), ['Nightly']);
  assert.deepEqual(await attention(team), ['Nightly']);
});

test('hiding again changes nothing, and showing brings the state back', async () => {
  const team = await product.newTeam();
  await send(team, 'CI', 'failure');
  const first = (await hide(team, 'CI')).body as unknown as HiddenWorkflow;
  const again = (await hide(team, 'CI', team.owner)).body as unknown as HiddenWorkflow;
  assert.deepEqual(again, first);
  const list = await get<{ items: HiddenWorkflow[] }>(team, '/hidden-workflows');
  assert.deepEqual(list.items, [first]);
  const one = team.path(`/hidden-workflows/${first.hiddenWorkflowId}`);
  assert.equal((await team.admin.call('DELETE', one)).status, 204);
  assert.equal((await team.admin.call('DELETE', one)).status, 404);
  assert.deepEqual(await tiles(team), ['CI']);
  assert.deepEqual(await attention(team), ['CI']);
  const own = (await titles(team)).filter((title) => title.startsWith('CI of'));
  assert.deepEqual(own.slice(0, 2), ['CI of acme/site is shown again', 'CI of acme/site was hidden']);
});

test('only an admin hides, and only a workflow that has run', async () => {
  const team = await product.newTeam();
  await send(team, 'CI', 'failure');
  assert.equal((await hide(team, 'CI', team.member)).status, 403);
  assert.equal((await hide(team, 'Unknown')).status, 404);
  assert.deepEqual(await tiles(team), ['CI']);
});

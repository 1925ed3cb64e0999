import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { Home } from '#contract/integrations/home.ts';
import { failedJob, postFailedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { runPayload } from '#test/support/data/forge-events.ts';
import { pull, run, sha } from '#test/support/data/pull-request-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { integrationToken } from '#test/support/identity/token-client.ts';
import { startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const check = Compile(Home);

async function homeOf(who: Person): Promise<Home> {
  const { body } = await who.call('GET', '/api/home');
  assert.ok(check.Check(body), JSON.stringify(body));
  return body as unknown as Home;
}

const post = (team: Team, event: string, payload: object) =>
  postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });

/** A failed run that `login` started. */
const failedRun = (login: string, facts: FailedJobFacts) => {
  const { run: payload } = failedJob(facts);
  return { ...payload, workflow_run: { ...payload.workflow_run, actor: { login } } };
};

/** Newcomers, because the people of a team belong to all of them. */
let newcomers = 0;
async function newcomer(...teams: Team[]): Promise<Person> {
  newcomers += 1;
  const person = await product.person(`Newcomer-${newcomers}`);
  for (const { integrationId } of teams) await product.setRole(integrationId, person, 'member');
  return person;
}

test('home lists own failed and running runs of all integrations, and not those that a newer run replaced', async () => {
  const [shop, site, foreign] = [
    await product.newTeam('Shop'),
    await product.newTeam('Site'),
    await product.newTeam('Foreign'),
  ];
  const me = await newcomer(shop, site);
  const login = me.login.toLowerCase();
  await post(shop, 'workflow_run', failedRun(login, { id: 1, ago: 900, branch: 'topic' }));
  await post(shop, 'workflow_run', failedRun(login, { id: 2, ago: 800, branch: 'old' }));
  await post(
    shop,
    'workflow_run',
    failedRun(login, { id: 3, ago: 700, branch: 'old', conclusion: 'success' }),
  );
  await post(shop, 'workflow_run', failedRun('ann', { id: 4, ago: 600, branch: 'hers' }));
  await post(foreign, 'workflow_run', failedRun(login, { id: 5, branch: 'topic' }));
  const now = new Date().toISOString();
  const running = { status: 'in_progress', created_at: now, run_started_at: now, actor: { login: 'ann' } };
  await post(site, 'workflow_run', runPayload({ id: 6, ...running, triggering_actor: { login } }));
  await post(site, 'workflow_run', runPayload({ id: 7, ...running }));
  await waitUntil('the runs', async () => {
    const { failed, running: open, integrations } = await homeOf(me);
    return (
      failed.length === 1 && open.length === 1 && integrations.every(({ lastRunAt }) => lastRunAt !== null)
    );
  });
  const home = await homeOf(me);
  assert.deepEqual(
    home.failed.map(({ integrationId, run: { runId } }) => [integrationId, runId]),
    [[shop.integrationId, 1]],
  );
  assert.deepEqual(
    home.running.map(({ integrationId, run: { runId } }) => [integrationId, runId]),
    [[site.integrationId, 6]],
  );
  assert.deepEqual(
    home.integrations.map(({ label, role, red, running: open, waiting }) => [
      label,
      role,
      red,
      open,
      waiting,
    ]),
    [
      ['Shop', 'member', 0, 0, 0],
      ['Site', 'member', 0, 2, 0],
    ],
  );
});

test('home lists red default branches with their cause, and counts those that have a result', async () => {
  const team = await product.newTeam('Red');
  const me = await newcomer(team);
  await post(team, 'workflow_run', failedRun('ann', { id: 11, ago: 900, conclusion: 'success' }));
  await postFailedJob(product.baseUrl, team, { id: 12, ago: 600 });
  await waitUntil('the failure', async () => Boolean((await homeOf(me)).red[0]?.workflow.failing));
  const { red, integrations } = await homeOf(me);
  const [{ workflow }] = red as [Home['red'][number]];
  assert.deepEqual(
    [workflow.branch, workflow.lastRunId, workflow.failing?.job, workflow.firstBad?.actor],
    ['main', 12, 'build', 'ann'],
  );
  assert.deepEqual(
    integrations.map(({ workflows, red: reds }) => [workflows, reds]),
    [[1, 1]],
  );
});

test('home lists own open pull requests, those with failed checks first', async () => {
  const team = await product.newTeam('Pulls');
  const me = await newcomer(team);
  const author = me.login.toLowerCase();
  await post(team, 'pull_request', pull({ number: 1, head: sha('a'), author }));
  await post(team, 'pull_request', pull({ number: 2, head: sha('b'), author }));
  await post(team, 'pull_request', pull({ number: 3, author: 'ann' }));
  await post(team, 'workflow_run', run({ id: 21, head: sha('a'), numbers: [1], conclusion: 'failure' }));
  await post(team, 'workflow_run', run({ id: 22, head: sha('b'), numbers: [2], conclusion: 'success' }));
  await waitUntil('the checks', async () => {
    const { pullRequests } = await homeOf(me);
    return pullRequests.map(({ pullRequest: { checks } }) => checks.state).join() === 'failed,passed';
  });
});

test('an incident waits for the person it is assigned to until it is snoozed', async () => {
  const team = await product.newTeam('Incidents');
  const [me, other] = [await newcomer(team), await newcomer(team)];
  const rule = await team.admin.call('POST', team.path('/notification-rules'), {
    name: 'Main',
    channels: [{ type: 'email', to: ['team@example.com'] }],
  });
  assert.equal(rule.status, 201);
  await postFailedJob(product.baseUrl, team, { id: 31 });
  const incident = await waitUntil('the incident', async () => {
    const { body } = await team.admin.call('GET', team.path('/incidents?status=open'));
    return body.items[0];
  });
  const path = team.path(`/incidents/${String(incident['incidentId'])}`);
  await me.call('PATCH', path, { version: 1, assigneeId: me.userId });
  assert.deepEqual([(await homeOf(me)).waiting.length, (await homeOf(other)).waiting.length], [1, 0]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const snoozed = await me.call('PATCH', path, { version: 2, snoozedUntil: until });
  assert.equal(snoozed.status, 200);
  assert.deepEqual((await homeOf(me)).waiting, []);
});

test('a token of an integration gets the state of that integration alone', async () => {
  const team = await product.newTeam('Token');
  await product.newTeam('Other');
  const { token } = await integrationToken(product, team, 'viewer');
  const answer = await fetch(`${product.publicUrl}/api/home`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const home = (await answer.json()) as Home;
  assert.deepEqual(
    [home.forgeLogin, home.integrations.map(({ label }) => label), home.failed],
    [null, ['Token'], []],
  );
});

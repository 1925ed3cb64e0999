import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { OwnerAnswer } from '#contract/alerts/workflow-owners.ts';
import type { Home } from '#contract/integrations/home.ts';
import { endOfRun } from '#test/support/alerts/alert-program.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { refused, startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);

const ci = { repository: 'acme/site', workflow: 'CI' };
const ofRepository = { repository: 'acme/site', workflow: '' };

const set = (team: Team, place: object, owner: object | null, by: Person = team.admin) =>
  by.call('PUT', team.path('/workflow-owner'), { ...place, owner });

async function answer(team: Team, { repository, workflow } = ci): Promise<OwnerAnswer> {
  const query = new URLSearchParams({ repository, workflow });
  const { status, body } = await team.viewer.call('GET', team.path(`/workflow-owner?${query}`));
  assert.equal(status, 200);
  return body as unknown as OwnerAnswer;
}

async function endRun(team: Team, ...run: Parameters<typeof endOfRun>): Promise<void> {
  await postWebhook(product.baseUrl, team, { event: 'workflow_run', payload: endOfRun(...run) });
  await waitUntil('the run', async () => {
    const { status } = await team.viewer.call('GET', team.path(`/workflows/${run[0]}`));
    return status === 200;
  });
  await untilEvaluated(product.database, team.integrationId);
}

const incidents = async (team: Team, query = ''): Promise<Incident[]> =>
  (await team.member.call('GET', team.path(`/incidents${query}`))).body.items as unknown as Incident[];

test('an admin sets the owner of a repository and of a workflow, which comes first', async () => {
  const team = await product.newTeam();
  refused(await set(team, ci, { userId: team.member.userId }, team.member), 403, 'insufficient_role');
  const stranger = await product.person('stranger');
  refused(await set(team, ci, { userId: stranger.userId }), 400, 'invalid_request');
  assert.equal((await set(team, ofRepository, { email: 'team@example.com' })).status, 200);
  const inherited = await answer(team);
  assert.deepEqual([inherited.owner?.email, inherited.ofRepository], ['team@example.com', true]);
  await set(team, ci, { userId: team.member.userId });
  assert.deepEqual(await answer(team), {
    owner: { userId: team.member.userId, name: team.member.login, email: null },
    ofRepository: false,
    suggestion: null,
  });
  assert.equal((await answer(team, { ...ci, workflow: 'Deploy' })).owner?.email, 'team@example.com');
  const list = await team.viewer.call('GET', team.path('/workflow-owners'));
  assert.deepEqual(
    list.body.items.map(({ workflow, setBy }) => [workflow, (setBy as { userId: string }).userId]),
    [
      ['', team.admin.userId],
      ['CI', team.admin.userId],
    ],
  );
  await set(team, ci, null);
  assert.equal((await answer(team)).owner?.email, 'team@example.com');
  assert.deepEqual((await product.entries(team.integrationId)).map(({ title }) => title).slice(-3), [
    'acme/site belongs to team@example.com',
    'CI in acme/site belongs to member',
    'CI in acme/site has no owner any more',
  ]);
});

test('somebody who leaves owns nothing any more', async () => {
  const team = await product.newTeam();
  const leaver = await product.person('leaver');
  await product.setRole(team.integrationId, leaver, 'member');
  await set(team, ci, { userId: leaver.userId });
  await team.admin.call('DELETE', team.path(`/members/${leaver.userId}`));
  assert.equal((await answer(team)).owner, null);
});

test('an incident shows its owner, and is theirs until somebody else works on it', async () => {
  const team = await product.newTeam();
  await set(team, ofRepository, { userId: team.member.userId });
  await endRun(team, 1, 'failure', 10);
  const [incident] = await incidents(team, '?show=mine');
  assert.equal(incident?.owner?.userId, team.member.userId);
  const home = await team.member.call('GET', '/api/home');
  const { waiting } = home.body as unknown as Home;
  assert.ok(waiting.some((one) => one.incident.incidentId === incident.incidentId));
  const path = team.path(`/incidents/${incident.incidentId}`);
  await team.admin.call('PATCH', path, { version: incident.version, acknowledged: true });
  assert.deepEqual(await incidents(team, '?show=mine'), []);
});

test('a rule mails the owner of the workflow at that moment', async () => {
  const team = await product.newTeam();
  const body = ruleBody({ channels: [{ type: 'owner' }] });
  const rule = await team.admin.call('POST', team.path('/notification-rules'), body);
  assert.equal(rule.status, 201, JSON.stringify(rule.body));
  const sent = async () => {
    const path = team.path(`/notification-rules/${String(rule.body['ruleId'])}/deliveries`);
    return (await team.viewer.call('GET', path)).body.items;
  };
  await endRun(team, 1, 'failure', 10);
  await waitUntil('the refusal', async () => (await sent())[0]?.['status'] === 'failed');
  assert.match(String((await sent())[0]?.['problem']), /has no owner/);
  await set(team, ci, { email: 'owners@example.com' });
  await endRun(team, 2, 'success', 20);
  await waitUntil('the mail', () => mailServer.mails.some(({ to }) => to.includes('owners@example.com')));
  const wrong = ruleBody({ channels: [{ type: 'owner', to: ['a@example.com'] }] });
  refused(await team.admin.call('POST', team.path('/notification-rules'), wrong), 400, 'invalid_request');
});

test('a member is suggested who acknowledged or fixed more incidents than others, and at least three', async () => {
  const team = await product.newTeam();
  const acknowledge = async (by: Person): Promise<void> => {
    const [{ incidentId, version }] = (await incidents(team, '?status=open')) as [Incident];
    await by.call('PATCH', team.path(`/incidents/${incidentId}`), { version, acknowledged: true });
  };
  const fixed = { actor: { login: team.member.login }, triggering_actor: { login: team.member.login } };
  const acts: [Person, object][] = [
    [team.member, {}],
    [team.admin, fixed],
    [team.admin, {}],
    [team.member, {}],
  ];
  for (const [index, [by, run]] of acts.entries()) {
    const at = 100 * index;
    assert.equal((await answer(team)).suggestion, null);
    await endRun(team, 2 * index + 1, 'failure', at + 10);
    await acknowledge(by);
    await endRun(team, 2 * index + 2, 'success', at + 20, run);
  }
  assert.deepEqual((await answer(team)).suggestion, {
    userId: team.member.userId,
    name: team.member.login,
    acknowledged: 2,
    fixed: 1,
  });
  await endRun(team, 11, 'failure', 510);
  await acknowledge(team.admin);
  assert.equal((await answer(team)).suggestion, null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { Home } from '#contract/integrations/home.ts';
import type { Wall } from '#contract/integrations/wallboard.ts';
import type { Overview } from '#contract/metrics/overview.ts';
import { endOfJob, endOfRun } from '#test/support/alerts/alert-program.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);

const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to.includes(address));
const post = (team: Team, event: string, payload: object) =>
  postWebhook(product.baseUrl, team, { event, payload: payload as Record<string, unknown> });

/** Posts the end of a run and waits until it is evaluated. */
async function endRun(team: Team, ...run: Parameters<typeof endOfRun>): Promise<void> {
  await post(team, 'workflow_run', endOfRun(...run));
  await waitUntil('the run', async () => {
    const { status } = await team.viewer.call('GET', team.path(`/workflows/${run[0]}`));
    return status === 200;
  });
  await untilEvaluated(product.database, team.integrationId);
}

async function read<T>(team: Team, path: string): Promise<T> {
  const { status, body } = await team.member.call('GET', path);
  assert.equal(status, 200);
  return body as unknown as T;
}

const incidents = async (team: Team): Promise<Incident[]> =>
  (await read<{ items: Incident[] }>(team, team.path('/incidents'))).items;

async function change(team: Team, fields: object): Promise<void> {
  const [{ incidentId, version }] = (await incidents(team)) as [Incident];
  const path = team.path(`/incidents/${incidentId}`);
  const { status } = await team.member.call('PATCH', path, { version, ...fields });
  assert.equal(status, 200);
}

async function addRule(team: Team, address: string): Promise<{ ruleId: string; notifiesNow: number }> {
  const body = ruleBody({ channels: [{ type: 'email', to: [address] }] });
  const answer = await team.admin.call('POST', team.path('/notification-rules'), body);
  assert.equal(answer.status, 201);
  return answer.body as unknown as { ruleId: string; notifiesNow: number };
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
const endedDaysAgo = (days: number) => ({
  created_at: daysAgo(days),
  run_started_at: daysAgo(days),
  updated_at: daysAgo(days),
});

test('a red default branch is an incident without a rule, from its first failed run to its next success', async () => {
  const team = await product.newTeam();
  await endRun(team, 1, 'success', 10);
  await post(team, 'workflow_job', endOfJob(2, 20, 'failure', 18));
  await endRun(team, 2, 'failure', 20);
  await endRun(team, 3, 'failure', 30, { head_branch: 'topic' });
  await endRun(team, 4, 'cancelled', 40);
  await endRun(team, 5, 'failure', 50);
  const [incident, ...others] = await incidents(team);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [incident?.branch, incident?.status, incident?.failedRuns, incident?.failedJobs],
    ['main', 'open', 2, 0],
  );
  assert.equal(incident?.firstFailure.runId, 2);
  // A late success of an earlier run takes nothing back, a late failure changes nothing.
  await endRun(team, 6, 'success', 60);
  await endRun(team, 3, 'failure', 30);
  assert.deepEqual(
    (await incidents(team)).map(({ status, closedByRunId }) => [status, closedByRunId]),
    [['closed', 6]],
  );
});

test('an incident without a rule can be worked on, and every page says who does', async () => {
  const team = await product.newTeam();
  await endRun(team, 1, 'failure', 10);
  const home = async () =>
    (await read<Home>(team, '/api/home')).red.filter(
      ({ integrationId }) => integrationId === team.integrationId,
    );
  const tile = async () => (await read<Wall>(team, team.path('/wallboard'))).tiles[0];
  const attention = async () => (await read<Overview>(team, team.path('/overview'))).needsAttention.length;
  assert.deepEqual([(await home())[0]?.incident?.acknowledged, (await tile())?.handledBy], [null, null]);
  assert.equal(await attention(), 1);

  await change(team, { acknowledged: true });
  assert.equal((await home())[0]?.incident?.acknowledged?.by?.userId, team.member.userId);
  assert.deepEqual((await tile())?.handledBy, { name: team.member.login });
  await change(team, { assigneeId: team.admin.userId, snoozedUntil: daysAgo(-1) });
  assert.deepEqual((await tile())?.handledBy, { name: team.admin.login });
  const link = await team.admin.call('POST', team.path('/share-links'), { name: 'Office', filter: {} });
  const authorization = `Bearer ${new URL(String(link.body['url'])).hash.slice(1)}`;
  const shared = await fetch(`${product.publicUrl}/api/shared-wallboard`, { headers: { authorization } });
  assert.deepEqual(((await shared.json()) as Wall).tiles[0]?.handledBy, { name: null });

  await change(team, { status: 'closed', note: 'The mirror is away' });
  assert.deepEqual([await attention(), (await home()).length], [0, 0]);
  assert.equal((await tile())?.state, 'failed');
  await change(team, { status: 'open' });
  assert.equal(await attention(), 1);
  await change(team, { status: 'closed' });
  await endRun(team, 2, 'failure', 20);
  assert.equal((await incidents(team)).filter(({ status }) => status === 'open').length, 1);
  assert.equal(await attention(), 1);
});

test('a rule that is made while a branch is red joins its incident, which outlives the rule', async () => {
  const team = await product.newTeam();
  await endRun(team, 1, 'failure', 10);
  await change(team, { acknowledged: true });
  const { ruleId, notifiesNow } = await addRule(team, 'joins@example.com');
  assert.equal(notifiesNow, 1);
  await waitUntil('the mail', () => mailsTo('joins@example.com').length === 1);
  assert.equal((await incidents(team)).length, 1);
  assert.equal((await team.admin.call('DELETE', team.path(`/notification-rules/${ruleId}`))).status, 204);
  assert.deepEqual(
    (await incidents(team)).map(({ status }) => status),
    ['open'],
  );
  await endRun(team, 2, 'success', 20);
  assert.deepEqual(
    (await incidents(team)).map(({ status }) => status),
    ['closed'],
  );
  assert.equal(mailsTo('joins@example.com').length, 1);
});

test('an old failure of the default branch opens an incident that nobody is notified about', async () => {
  const team = await product.newTeam();
  await addRule(team, 'old@example.com');
  await endRun(team, 1, 'failure', 0, endedDaysAgo(31));
  assert.deepEqual(await incidents(team), []);
  await endRun(team, 2, 'failure', 0, endedDaysAgo(3));
  await endRun(team, 3, 'failure', 0, { ...endedDaysAgo(2), head_branch: 'topic' });
  assert.deepEqual(
    (await incidents(team)).map(({ branch, openedAt }) => [branch, openedAt.slice(0, 10)]),
    [['main', daysAgo(3).slice(0, 10)]],
  );
  // The first news about it is.
  await endRun(team, 4, 'failure', 10);
  await waitUntil('the mail', () => mailsTo('old@example.com').length === 1);
  assert.equal((await incidents(team))[0]?.failedRuns, 2);
});

test('a hidden workflow has no incident, and gets one when it is shown while it is red', async () => {
  const team = await product.newTeam();
  await endRun(team, 1, 'failure', 10);
  const body = { repository: 'acme/site', workflow: 'CI' };
  const hidden = await team.admin.call('POST', team.path('/hidden-workflows'), body);
  assert.equal(hidden.status, 201);
  await endRun(team, 2, 'failure', 20);
  const states = async () =>
    (await incidents(team)).map(({ closeReason, failedRuns }) => [closeReason, failedRuns]);
  assert.deepEqual(await states(), [['hidden', 1]]);
  const one = team.path(`/hidden-workflows/${String(hidden.body['hiddenWorkflowId'])}`);
  assert.equal((await team.admin.call('DELETE', one)).status, 204);
  await untilEvaluated(product.database, team.integrationId);
  await waitUntil('the incident', async () => (await states()).length === 2);
  assert.deepEqual(
    (await incidents(team)).filter(({ status }) => status === 'open').map(({ failedRuns }) => failedRuns),
    [2],
  );
});

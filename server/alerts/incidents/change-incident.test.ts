import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident, IncidentChange } from '#contract/alerts/incidents.ts';
import type { LogEntry } from '#contract/deliveries/event-log.ts';
import { endOfJob, endOfRun } from '#test/support/alerts/alert-program.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { refused, startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);

/** A team with a rule that mails every failure and recovery to an address of its own. */
async function watchedTeam(address: string) {
  const team = await product.newTeam();
  const rule = ruleBody({
    notify: 'every_failure',
    events: ['run'],
    channels: [{ type: 'email', to: [address] }],
  });
  assert.equal((await team.owner.call('POST', team.path('/notification-rules'), rule)).status, 201);
  return {
    team,
    mails: () => mailServer.mails.filter(({ to }) => to.includes(address)).length,
    post: async (payload: object, event = 'workflow_run') => {
      const { status } = await postWebhook(product.baseUrl, team, { event, payload });
      assert.equal(status, 200);
    },
  };
}

async function incidents(team: Team): Promise<Incident[]> {
  const { status, body } = await team.viewer.call('GET', team.path('/incidents'));
  assert.equal(status, 200);
  return body.items as Incident[];
}

const incidentWith = (team: Team, condition: (incident: Incident) => boolean): Promise<Incident> =>
  waitUntil('an incident', async () => (await incidents(team)).find(condition) ?? false);

const change = (team: Team, who: Person, { incidentId }: Incident, body: IncidentChange) =>
  who.call('PATCH', team.path(`/incidents/${incidentId}`), body);

async function changed(team: Team, who: Person, incident: Incident, body: IncidentChange): Promise<Incident> {
  const answer = await change(team, who, incident, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as unknown as Incident;
}

async function logged(team: Team): Promise<LogEntry[]> {
  const { body } = await team.viewer.call('GET', team.path('/event-log?type=incident&limit=100'));
  return body.items as unknown as LogEntry[];
}

test('an acknowledged incident sends no reminders but its recovery', async () => {
  const { team, mails, post } = await watchedTeam('acknowledged@example.com');
  await post(endOfRun(100, 'failure', 10));
  await waitUntil('the first mail', () => mails() === 1);
  const opened = await incidentWith(team, ({ failedRuns }) => failedRuns === 1);
  assert.deepEqual([opened.version, opened.acknowledged, opened.assignee], [1, null, null]);
  const acknowledged = await changed(team, team.member, opened, { version: 1, acknowledged: true });
  assert.equal(acknowledged.version, 2);
  assert.deepEqual(acknowledged.acknowledged?.by?.userId, team.member.userId);
  await post(endOfRun(101, 'failure', 20));
  await incidentWith(team, ({ failedRuns }) => failedRuns === 2);
  const undone = await changed(team, team.member, opened, { version: 2, acknowledged: false });
  assert.equal(undone.acknowledged, null);
  await post(endOfRun(102, 'failure', 30));
  await waitUntil('the reminder after the undo', () => mails() === 2);
  await changed(team, team.owner, opened, { version: 3, acknowledged: true });
  await post(endOfRun(103, 'failure', 40));
  await incidentWith(team, ({ failedRuns }) => failedRuns === 4);
  await post(endOfRun(104, 'success', 50));
  await waitUntil('the recovery', () => mails() === 3);
  const [closed] = await incidents(team);
  assert.deepEqual([closed?.status, closed?.closeReason], ['closed', 'recovered']);
  const titles = (await logged(team)).map(({ title, actor }) => [title, actor?.userId ?? null]);
  assert.deepEqual(
    titles.filter(([title]) => title?.includes('acknowledged')),
    [
      ['The incident of CI in acme/site on main was acknowledged', team.owner.userId],
      ['The incident of CI in acme/site on main was set to not acknowledged', team.member.userId],
      ['The incident of CI in acme/site on main was acknowledged', team.member.userId],
    ],
  );
});

test('a snooze ends by itself and can be ended', async () => {
  const { team, mails, post } = await watchedTeam('snoozed@example.com');
  const failNow = (id: number) => post(endOfRun(id, 'failure', 10, { updated_at: new Date().toISOString() }));
  await failNow(100);
  const opened = await incidentWith(team, () => true);
  await waitUntil('the first mail', () => mails() === 1);
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const long = await changed(team, team.member, opened, { version: 1, snoozedUntil: inMs(3_600_000) });
  assert.notEqual(long.snoozedUntil, null);
  const ended = await changed(team, team.member, opened, { version: 2, snoozedUntil: null });
  assert.equal(ended.snoozedUntil, null);
  const snoozed = await changed(team, team.member, opened, { version: 3, snoozedUntil: inMs(3_600_000) });
  assert.notEqual(snoozed.snoozedUntil, null);
  await failNow(101);
  await incidentWith(team, ({ failedRuns }) => failedRuns === 2);
  assert.equal(mails(), 1);
  const until = inMs(5000);
  await changed(team, team.member, opened, { version: 4, snoozedUntil: until });
  await incidentWith(team, ({ snoozedUntil }) => snoozedUntil === null);
  assert.ok(Date.now() >= Date.parse(until));
  assert.equal(mails(), 1);
  await failNow(102);
  await waitUntil('the reminder after the snooze', () => mails() === 2);
  for (const snoozedUntil of [inMs(-1000), inMs(31 * 86_400_000)])
    refused(await change(team, team.member, opened, { version: 5, snoozedUntil }), 400, 'invalid_request');
});

test('of two people who change an incident at once, one is asked to reload', async () => {
  const { team, post } = await watchedTeam('both@example.com');
  await post(endOfRun(100, 'failure', 10));
  const opened = await incidentWith(team, () => true);
  const answers = await Promise.all([
    change(team, team.member, opened, { version: 1, acknowledged: true }),
    change(team, team.admin, opened, { version: 1, status: 'closed', note: 'Known' }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const loser = answers.find(({ status }) => status === 409);
  assert.equal(loser?.body.code, 'conflict');
  assert.match(String(loser.body['detail']), /changed this incident/);
  assert.equal((await incidents(team))[0]?.version, 2);
});

test('only a member can be assigned, and is unassigned when removed', async () => {
  const { team, post } = await watchedTeam('assigned@example.com');
  await post(endOfRun(100, 'failure', 10));
  const opened = await incidentWith(team, () => true);
  const outsider = await product.person('outsider');
  const assign = (version: number, assigneeId: string | null) =>
    change(team, team.member, opened, { version, assigneeId });
  refused(await assign(1, outsider.userId), 400, 'invalid_request');
  assert.equal((await assign(1, team.viewer.userId)).status, 200);
  assert.equal((await assign(2, null)).status, 200);
  const helper = await product.person('helper');
  await product.setRole(team.integrationId, helper, 'viewer');
  assert.equal((await assign(3, helper.userId)).status, 200);
  assert.equal((await incidents(team))[0]?.assignee?.userId, helper.userId);
  const { status } = await team.owner.call('DELETE', team.path(`/members/${helper.userId}`));
  assert.equal(status, 204);
  assert.equal((await incidents(team))[0]?.assignee, null);
});

test('an incident that a person closed stays closed for the failures it counted, and can be reopened', async () => {
  const { team, post } = await watchedTeam('closed@example.com');
  await post(endOfRun(100, 'failure', 10));
  const opened = await incidentWith(team, () => true);
  refused(await change(team, team.member, opened, { version: 1, note: 'Why' }), 400, 'invalid_request');
  refused(await change(team, team.member, opened, { version: 1, status: 'open' }), 409, 'conflict');
  const note = 'The runner was broken';
  const closed = await changed(team, team.member, opened, { version: 1, status: 'closed', note });
  assert.deepEqual(
    [closed.status, closed.closeReason, closed.closeNote, closed.closedBy?.userId],
    ['closed', 'closed', note, team.member.userId],
  );
  refused(await change(team, team.member, opened, { version: 2, acknowledged: true }), 409, 'conflict');
  const reopened = await changed(team, team.member, opened, { version: 2, status: 'open' });
  assert.deepEqual([reopened.status, reopened.closeReason, reopened.closeNote], ['open', null, null]);
  await changed(team, team.member, opened, { version: 3, status: 'closed' });
  await post(endOfRun(100, 'failure', 10));
  // A failure of an older run, and one of a newer run that shows when both were evaluated.
  await post(endOfRun(99, 'failure', 5));
  await post(endOfRun(101, 'failure', 20));
  const again = await incidentWith(team, ({ status }) => status === 'open');
  assert.deepEqual([again.failedRuns, again.firstFailure.runId], [1, 101]);
  assert.equal((await incidents(team)).length, 2);
  const conflict = await change(team, team.member, opened, { version: 4, status: 'open' });
  assert.match(String(conflict.body['detail']), /another incident/);
});

test('a successful run resolves failures of jobs that were renamed since', async () => {
  const { team, post } = await watchedTeam('renamed@example.com');
  const rule = ruleBody({ name: 'Jobs', events: ['job'] });
  await team.owner.call('POST', team.path('/notification-rules'), rule);
  await post(endOfRun(100, 'failure', 12));
  await post(endOfJob(100, 200, 'failure', 10), 'workflow_job');
  await incidentWith(team, ({ failedJobs, failedRuns }) => failedJobs === 1 && failedRuns === 1);
  await post(endOfJob(101, 201, 'success', 20), 'workflow_job');
  await post(endOfRun(101, 'success', 22));
  const closed = await incidentWith(team, ({ status }) => status === 'closed');
  assert.deepEqual([closed.closeReason, closed.closedByRunId], ['recovered', 101]);
});

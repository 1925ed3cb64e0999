import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { refused, startTeamProduct, type Person, type Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows } from '#test/support/database/rows.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);
const { baseUrl, publicUrl, database, newTeam, person, entries } = product;

const settingsPath = '/api/user/notifications';
const turnOn = async (who: Person, integrationIds: string[] | null = null): Promise<void> => {
  const { status, body } = await who.call('PUT', settingsPath, { enabled: true, integrationIds });
  assert.equal(status, 200);
  assert.equal(body['email'], `${who.login}@example.com`);
};

/** Mails to the person about the integration, without the line breaks of quoted-printable. */
const mailsTo = ({ login }: Person, { integrationId }: Team): string[] =>
  mailServer.mails
    .filter(({ to }) => to.includes(`${login}@example.com`))
    .map(({ source }) => source.replaceAll('=\r\n', '').replaceAll('=3D', '='))
    .filter((source) => source.includes(integrationId));

/** Sends a completed run with its job, and waits until everybody was notified. */
async function complete(team: Team, login: string, facts: FailedJobFacts): Promise<void> {
  const { run, job } = failedJob(facts);
  const own = { ...run, workflow_run: { ...run.workflow_run, actor: { login } } };
  await postWebhook(baseUrl, team, { event: 'workflow_job', payload: job });
  await postWebhook(baseUrl, team, { event: 'workflow_run', payload: own });
  await waitUntil(`run ${facts.id}`, async () => {
    const { body } = await team.owner.call('GET', team.path(`/workflows/${facts.id}`));
    return body.code === undefined;
  });
  const ofTeam = { integration_id: team.integrationId, kind: 'personal-notifications' };
  await waitUntil('no pending mail', async () => (await countRows(database, 'tasks', ofTeam)) === 0);
}

test('a person is mailed when a run that they started fails, and when its branch is green again', async () => {
  const team = await newTeam();
  await turnOn(team.member);
  await complete(team, 'Member', { id: 1, ago: 900, step: 'Run <b>tests</b>' });
  await complete(team, 'viewer', { id: 2, ago: 800, branch: 'other' });
  await complete(team, 'viewer', { id: 3, ago: 700, conclusion: 'success' });
  await complete(team, 'member', { id: 4, ago: 600, conclusion: 'success' });
  const [red, green, ...more] = mailsTo(team.member, team);
  assert.equal(more.length, 0);
  assert.match(red!, /Subject: .*CI in acme\/site on main: your run #1 failed/);
  assert.match(red!, /Assessment: New on this branch/);
  assert.match(red!, /Error: Step Run /);
  assert.match(red!, /Run &lt;b&gt;tests/);
  assert.ok(red!.includes(`${publicUrl}/integrations/${team.integrationId}/runs/1`));
  assert.match(green!, /Subject: .*CI in acme\/site on main is green again/);
  assert.equal(mailsTo(team.viewer, team).length, 0);
  assert.deepEqual(
    (await entries(team.integrationId))
      .filter(({ type }) => type.startsWith('alert.'))
      .map(({ title }) => title),
    [
      'member was notified: CI in acme/site on main: the run #1 failed',
      'member was notified: CI in acme/site on main is green again',
    ],
  );
});

test('each mail has a link that stops them without a sign-in', async () => {
  const team = await newTeam();
  await turnOn(team.admin);
  await complete(team, 'admin', { id: 11 });
  const [mail] = mailsTo(team.admin, team);
  assert.match(mail!, /List-Unsubscribe-Post: List-Unsubscribe=One-Click/);
  const url = /List-Unsubscribe:\s*<([^>]+)>/.exec(mail!.replaceAll(/\r\n\s+/g, ''))?.[1] ?? '';
  assert.ok(url.startsWith(`${publicUrl}/api/unsubscribe?token=`), url);
  const isOn = async () => (await team.admin.call('GET', settingsPath)).body['enabled'];

  const page = await fetch(url, { redirect: 'manual' });
  assert.equal(page.status, 302);
  assert.match(page.headers.get('location') ?? '', /\/unsubscribe#token=[\w-]{64}$/);
  const post = (to: string) =>
    fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://mail.example' },
      body: 'List-Unsubscribe=One-Click',
    });
  const changed = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
  assert.equal((await post(changed.replace(/token=./, 'token=_'))).status, 400);
  assert.equal(await isOn(), true);
  assert.equal((await post(url)).status, 204);
  assert.equal(await isOn(), false);
  assert.equal((await post(url)).status, 204);
  await complete(team, 'admin', { id: 12, ago: 30, branch: 'later' });
  assert.equal(mailsTo(team.admin, team).length, 1);
});

test('only members of the chosen integrations are mailed', async () => {
  const [chosen, other] = [await newTeam(), await newTeam()];
  const leaver = await person('leaver');
  for (const { integrationId } of [chosen, other]) await product.setRole(integrationId, leaver, 'viewer');
  await turnOn(leaver, [chosen.integrationId]);
  await complete(other, 'leaver', { id: 21 });
  await complete(chosen, 'leaver', { id: 21 });
  assert.deepEqual([mailsTo(leaver, chosen).length, mailsTo(leaver, other).length], [1, 0]);
  assert.equal((await leaver.call('POST', chosen.path('/leave'))).status, 204);
  await complete(chosen, 'leaver', { id: 22, ago: 30, branch: 'later' });
  await complete(chosen, 'owner', { id: 23, ago: 20, conclusion: 'success' });
  assert.equal(mailsTo(leaver, chosen).length, 1);
  const strange = await newTeam();
  refused(
    await leaver.call('PUT', settingsPath, { enabled: true, integrationIds: [strange.integrationId] }),
    400,
    'invalid_request',
  );
});

test('a person gets at most 20 mails an hour, and the event log says so once', async () => {
  const team = await newTeam();
  const busy = await person('busy');
  await product.setRole(team.integrationId, busy, 'member');
  await turnOn(busy);
  for (let id = 31; id < 54; id += 1) {
    const { run } = failedJob({ id, branch: `topic-${id}` });
    const own = { ...run, workflow_run: { ...run.workflow_run, actor: { login: 'busy' } } };
    await postWebhook(baseUrl, team, { event: 'workflow_run', payload: own });
  }
  await complete(team, 'busy', { id: 54, branch: 'last' });
  assert.equal(mailsTo(busy, team).length, 20);
  const refusals = (await entries(team.integrationId)).filter(
    ({ type }) => type === 'alert.person_not_notified',
  );
  assert.equal(refusals.length, 1);
  assert.match(refusals[0]!.title, /limit of 20 mails an hour/);
});

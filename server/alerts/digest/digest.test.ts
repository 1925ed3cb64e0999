import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Digest } from '#contract/alerts/digest.ts';
import { digestDays } from '#contract/alerts/alerts.ts';
import { dayMs, hourMs } from '#platform/runtime/time-units.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { postFailedJob } from '#test/support/data/failed-job.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { readRows } from '#test/support/database/rows.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { digestTasks } from './digest-tasks.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);
const { startRun, upload } = reportSender(product);

/** A team in which a job failed and a test was flaky. */
async function teamWithFailure(): Promise<Team> {
  const team = await product.newTeam();
  const { id } = await startRun(team, { hoursAgo: 1 });
  assert.equal(
    (await upload(team, { run: id }, xml('<testcase name="pays"><flakyFailure/></testcase>'))).status,
    201,
  );
  await postFailedJob(product.baseUrl, team, { id: id + 100_000, name: 'unit', step: 'Run npm test' });
  await waitUntil('the failure group', async () => {
    const { body } = await team.viewer.call('GET', team.path('/failure-groups'));
    return (body['items'] as unknown[]).length === 1;
  });
  return team;
}

/** A rule that is due in the next hour, and that hour. */
async function addRule(team: Team, fields: object = {}): Promise<{ ruleId: string; due: number }> {
  const due = Math.ceil(Date.now() / hourMs) * hourMs;
  const at = new Date(due);
  const rule = {
    watch: 'weekly_digest' as const,
    digestDay: digestDays[(at.getUTCDay() + 6) % 7]!,
    digestHour: at.getUTCHours(),
    channels: [{ type: 'email' as const, to: [`${team.integrationId}@example.com`] }],
    ...fields,
  };
  const { status, body } = await team.admin.call('POST', team.path('/notification-rules'), ruleBody(rule));
  assert.equal(status, 201, JSON.stringify(body));
  return { ruleId: String(body['ruleId']), due };
}

/** What a worker does with the task of the rule at a time, and the digests that are stored then. */
async function turnAt(team: Team, ruleId: string, now: number): Promise<Digest[]> {
  const { integrationId } = team;
  const tasks = digestTasks({ db: product.database.worker, clock: () => now });
  const task = { integrationId, kind: tasks.name, key: ruleId, facts: {}, failures: 0 };
  const end = await tasks.handle(task, { signal: new AbortController().signal, isLong: () => false });
  assert.ok(typeof end === 'object' && (end.again ?? 0) > 0 && (end.again ?? 0) <= 7 * dayMs + hourMs);
  const rows = await readRows(product.database, 'notifications', { integration_id: integrationId });
  return rows.filter(({ kind }) => kind === 'digest').map(({ digest }) => digest as Digest);
}

const mailsTo = (team: Team): string[] =>
  mailServer.mails
    .filter(({ to }) => to.includes(`${team.integrationId}@example.com`))
    .map(({ source }) => source);

test('a digest is sent once a week, also when its task is repeated or its hour changes', async () => {
  const team = await teamWithFailure();
  const { ruleId, due } = await addRule(team);
  assert.deepEqual(await turnAt(team, ruleId, due - 1), []);
  const [digest] = await turnAt(team, ruleId, due + 1);
  assert.deepEqual(
    [digest?.health.failed, digest?.failures.items[0]?.errorLine, digest?.flakyTests.items[0]?.name],
    [1, 'Step Run npm test failed', 'pays'],
  );
  assert.equal((await turnAt(team, ruleId, due + 2)).length, 1);
  assert.equal((await turnAt(team, ruleId, due + 3 * dayMs)).length, 1, 'too late');
  const mail = await waitUntil('the mail', () => mailsTo(team)[0]);
  assert.match(mail, /1 failed run; 0 % succeeded; 0 % at/);
  assert.match(mail, /cart › pays|cart =E2=80=BA pays/);
});

test('a week without failures says nothing, nor do other repositories', async () => {
  const quiet = await product.newTeam();
  const { ruleId, due } = await addRule(quiet);
  assert.deepEqual(await turnAt(quiet, ruleId, due), []);
  const team = await teamWithFailure();
  const other = await addRule(team, { repositories: { include: ['acme/other'], exclude: [] } });
  assert.deepEqual(await turnAt(team, other.ruleId, other.due), []);
});

test('a rule that was saved after its hour waits a week', async () => {
  const team = await teamWithFailure();
  const { ruleId, due } = await addRule(team);
  assert.deepEqual(await turnAt(team, ruleId, due - hourMs), []);
  await product.database.asOwner('update notification_rules set updated_at = $1', [new Date(due + 1000)]);
  assert.deepEqual(await turnAt(team, ruleId, due + 2000), []);
});

test('a test message of the rule is the digest of the last seven days', async () => {
  const team = await teamWithFailure();
  const { ruleId } = await addRule(team);
  const { status } = await team.admin.call('POST', team.path(`/notification-rules/${ruleId}/test`));
  assert.equal(status, 200);
  const mail = await waitUntil('the mail', () => mailsTo(team)[0]);
  assert.match(mail, /Subject: \[Forgewatch\] Week until/);
});

test('a preview shows the digest as it would be sent now, before the rule is saved', async () => {
  const preview = async (team: Team, fields: object = {}) => {
    const path = team.path('/notification-rules/back-test');
    const body = ruleBody({ watch: 'weekly_digest', ...fields });
    return (await team.member.call('POST', path, body)).body as unknown as BackTestAnswer;
  };
  const team = await teamWithFailure();
  const { digest, fired } = await preview(team);
  assert.equal(fired, 1);
  assert.match(digest!.title, /^Week until .*: 0 % of 1 run on default branches succeeded$/);
  assert.deepEqual(
    digest!.facts.map(({ name }) => name),
    ['Default branches', 'New flaky tests', 'Failed once'],
  );
  const { ruleId } = await addRule(team);
  await team.admin.call('POST', team.path(`/notification-rules/${ruleId}/test`));
  const mail = await waitUntil('the mail', () => mailsTo(team)[0]);
  assert.match(mail, new RegExp(digest!.title.slice(0, 40)));
  // In one of both it is another day than in UTC.
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const today = (): string => new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date());
    const before = today();
    const { title } = (await preview(team, { timeZone })).digest!;
    assert.ok([before, today()].includes(title.slice('Week until '.length, title.indexOf(':'))), title);
  }
  const other = await preview(team, { repositories: { include: ['acme/other'], exclude: [] } });
  assert.deepEqual([other.fired, other.digest], [0, null]);
});

test('a time zone that does not exist is refused', async () => {
  const team = await product.newTeam();
  const rule = ruleBody({ watch: 'weekly_digest', timeZone: 'Europe/Nowhere' });
  const { status, body } = await team.admin.call('POST', team.path('/notification-rules'), rule);
  assert.deepEqual([status, body['code']], [400, 'invalid_request']);
});

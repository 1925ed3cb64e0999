import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { RuleWatch } from '#contract/alerts/alerts.ts';
import type { TestPage, TestSummary } from '#contract/tests/tests.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { startMailServer } from '#test/support/network/mail-server.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const mailServer = await startMailServer();
const product = await startTeamProduct({ SMTP_URL: mailServer.url }, ['api', 'worker']);
const { startRun, upload } = reportSender(product);
const flaky = (name: string): string => `<testcase name="${name}"><flakyFailure/></testcase>`;

async function report(team: Team, hoursAgo: number, ...cases: string[]): Promise<number> {
  const { id } = await startRun(team, { hoursAgo, name: 'CI' });
  assert.equal((await upload(team, { run: id }, xml(...cases))).status, 201);
  return id;
}

/** A team with a rule, and the mails that it got. */
async function watching(watch: RuleWatch) {
  const team = await product.newTeam();
  const address = `${team.integrationId}@example.com`;
  const rule = { watch, channels: [{ type: 'email' as const, to: [address] }] };
  const add = async (fields: object): Promise<void> => {
    const { status } = await team.admin.call('POST', team.path('/notification-rules'), ruleBody(fields));
    assert.equal(status, 201);
  };
  const incidents = async (status: string): Promise<Incident[]> => {
    const { body } = await team.viewer.call('GET', team.path(`/incidents?status=${status}`));
    return (body as unknown as { items: Incident[] }).items;
  };
  return {
    team,
    add,
    rule,
    backTest: async () => {
      const path = team.path('/notification-rules/back-test');
      return (await team.admin.call('POST', path, ruleBody(rule))).body as unknown as BackTestAnswer;
    },
    incidents,
    /** Rules are evaluated once a minute; a change of a rule evaluates them at once. */
    evaluate: () => add({ name: 'Other', enabled: false }),
    one: (status: string) =>
      waitUntil(`an incident that is ${status}`, async () => (await incidents(status))[0]),
    // Without the soft line breaks of quoted-printable.
    mails: () =>
      mailServer.mails
        .filter(({ to }) => to.includes(address))
        .map(({ source }) => source.replaceAll(/=\r?\n/g, '')),
  };
}

// Each waits for the evaluation of its rules.
describe('rules about tests', { concurrency: true }, () => {
  test('tests that break in a run open one incident, which their passes close', async () => {
    const { team, add, rule, backTest, incidents, evaluate, one, mails } = await watching('test_broken');
    await report(team, 30, failed('old'));
    await report(team, 2, failed('old'), passed('pays'), passed('adds'));
    const run = await report(team, 1, failed('old'), failed('pays'), failed('adds'));
    const { fired, redNow } = await backTest();
    assert.deepEqual([fired, redNow], [2, 1], 'saving the rule notifies about the tests of today only');
    await add(rule);
    const open = await one('open');
    assert.deepEqual(
      [open.kind, open.subject, open.repository, open.branch, open.lastFailure.runId],
      ['test_broken', 'cart › adds and 1 other test', 'acme/site', 'main', run],
    );
    await waitUntil('the mail', () => mails().length === 1);
    assert.match(mails()[0]!, /adds and 1 other test in acme\/site/);
    // The page of the run lists both tests.
    assert.match(mails()[0]!, new RegExp(`/integrations/${team.integrationId}/runs/${run}\\?attempt=3D1`));
    assert.match(mails()[0]!, /^Since: /m);
    await report(team, 0.5, failed('old'), passed('pays'), passed('adds'));
    await evaluate();
    assert.equal((await one('closed')).incidentId, open.incidentId);
    await waitUntil('the recovery', () => mails().length === 2);
    assert.match(mails()[1]!, /Is fine again[^]*^Began: /m);
    assert.deepEqual(await incidents('open'), [], 'a test that broke long ago opens none');
  });

  test('a test that becomes flaky opens an incident, and the back-test predicts it', async () => {
    const { team, add, rule, backTest, one, mails } = await watching('test_flaky');
    await report(team, 1, flaky('pays'), failed('breaks'));
    const { fired, redNow, samples } = await backTest();
    assert.deepEqual([fired, redNow, samples[0]?.subject], [1, 1, 'cart › pays']);
    await add(rule);
    assert.deepEqual((await one('open')).subject, 'cart › pays');
    await waitUntil('the mail', () => mails().length === 1);
    const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky'));
    const [pays] = (body as unknown as TestPage).items;
    assert.match(mails()[0]!, new RegExp(`/integrations/${team.integrationId}/tests/${pays?.testId}`));
    assert.match(mails()[0]!, /^Workflow: CI on main/m);
  });

  test('nobody is notified about a test in quarantine', async () => {
    const { team, add, rule, incidents, evaluate, one, mails } = await watching('test_flaky');
    await report(team, 1, flaky('pays'));
    await add(rule);
    await one('open');
    await waitUntil('the mail', () => mails().length === 1);
    const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky'));
    const [pays] = (body as unknown as TestPage).items;
    const path = team.path(`/tests/${pays?.testId}/quarantine`);
    const quarantined = await team.member.call('PUT', path, { reason: 'Race' });
    assert.equal(quarantined.status, 200);
    await evaluate();
    const closed = await one('closed');
    assert.deepEqual(
      [closed.closeReason, closed.closeNote, closed.quarantinedUntil],
      ['quarantined', null, (quarantined.body as unknown as TestSummary).quarantine?.until],
    );
    // The mail about another test shows that mails were sent since.
    await report(team, 0.5, flaky('pays'), flaky('adds'));
    await evaluate();
    await waitUntil('the mail about another test', () => mails().length === 2);
    assert.match(mails()[1]!, /adds/);
    assert.deepEqual(
      (await incidents('open')).map(({ subject }) => subject),
      ['cart › adds'],
    );
  });

  for (const end of ['is ended', 'is over'] as const)
    test(`a test that broke long ago opens an incident when its quarantine ${end}`, async () => {
      const { team, add, rule, incidents, evaluate, one, mails } = await watching('test_broken');
      await report(team, 60, flaky('pays'), passed('adds'));
      const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky'));
      const path = team.path(`/tests/${(body as unknown as TestPage).items[0]?.testId}/quarantine`);
      assert.equal((await team.member.call('PUT', path, { reason: 'Race' })).status, 200);
      const run = await report(team, 30, failed('pays'), failed('adds'));
      await report(team, 2, failed('pays'), failed('adds'), passed('counts'));
      await add(rule);
      await evaluate();
      assert.deepEqual(await incidents('open'), []);
      if (end === 'is ended') assert.equal((await team.member.call('DELETE', path)).status, 204);
      else {
        await product.database.asOwner(
          `update test_quarantines set until = now() - interval '1 second' where integration_id = $1`,
          [team.integrationId],
        );
        await waitUntil('the end of the quarantine', async () => {
          const { body: log } = await team.viewer.call(
            'GET',
            team.path('/event-log?type=test.quarantine_ended'),
          );
          return log.items.length === 1;
        });
      }
      await evaluate();
      const open = await one('open');
      assert.deepEqual(
        [open.subject, open.firstFailure.runId, open.firstFailure.name],
        ['cart › pays', run, 'Broken on the default branch when its quarantine ended'],
        'the other test of the run broke long ago without a quarantine',
      );
      await waitUntil('the mail', () => mails().length === 1);
      assert.match(mails()[0]!, /pays in acme\/site: Broken on the default branch when its quarantine ended/);
      await report(team, 1, passed('pays'), failed('adds'), failed('counts'));
      await evaluate();
      assert.equal((await one('closed')).incidentId, open.incidentId);
      await waitUntil('the recovery and the mail about another test', () => mails().length === 3);
      assert.deepEqual(
        (await incidents('open')).map(({ subject }) => subject),
        ['cart › counts'],
      );
    });

  test('a test that leaves its quarantine is notified beside the open incident of its run', async () => {
    const { team, add, rule, incidents, evaluate, one, mails } = await watching('test_flaky');
    await report(team, 1, flaky('pays'), flaky('adds'));
    await add(rule);
    assert.equal((await one('open')).subject, 'cart › adds and 1 other test');
    await waitUntil('the mail', () => mails().length === 1);
    const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky&q=pays'));
    const path = team.path(`/tests/${(body as unknown as TestPage).items[0]?.testId}/quarantine`);
    assert.equal((await team.member.call('PUT', path, { reason: 'Race' })).status, 200);
    await evaluate();
    assert.equal((await team.member.call('DELETE', path)).status, 204);
    await evaluate();
    await waitUntil('the mail about the test', () => mails().length === 2);
    assert.deepEqual((await incidents('open')).map(({ subject }) => subject).sort(), [
      'cart › adds and 1 other test',
      'cart › pays',
    ]);
  });
});

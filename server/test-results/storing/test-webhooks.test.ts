import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestFacts } from '#contract/integrations/webhook-payloads.ts';
import { bodyOf, typeOf } from '#test/support/alerts/notification-receiver.ts';
import { startWebhookProduct, verify } from '#test/support/alerts/webhook-product.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import type { Team } from '#test/support/team/team.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { product, subscribe } = await startWebhookProduct();
const { startRun, upload } = reportSender(product);

async function startTeam() {
  const team = await product.newTeam();
  const { secret, received } = await subscribe(team, ['test.broken', 'test.flaky']);
  const sent = (): [type: string, name: string, runId: number][] =>
    received().map((call) => {
      verify(call, secret);
      const { test: about, run } = bodyOf(call).data as unknown as TestFacts;
      return [typeOf(call), about.name, run.runId];
    });
  const until = async (count: number) => {
    await waitUntil(`${count} webhooks`, () => received().length >= count);
    return sent();
  };
  return { team, until };
}

async function report(
  team: Team,
  run: { hoursAgo?: number; branch?: string; head_repository?: object },
  ...cases: string[]
) {
  const { id } = await startRun(team, run);
  assert.equal((await upload(team, { run: id }, xml(...cases))).status, 201);
  return id;
}

test('a test that breaks on the default branch is sent once, and again after a pass', async () => {
  const { team, until } = await startTeam();
  await report(team, { hoursAgo: 30 }, failed('old'));
  await report(team, { hoursAgo: 6, branch: 'topic' }, failed('pays'));
  const first = await report(team, { hoursAgo: 5 }, failed('pays'), passed('adds'));
  await report(team, { hoursAgo: 4 }, failed('pays'), passed('adds'));
  await report(team, { hoursAgo: 3 }, passed('pays'), passed('adds'));
  const second = await report(team, { hoursAgo: 2 }, failed('pays'), passed('adds'));
  assert.deepEqual(await until(2), [
    ['test.broken', 'pays', first],
    ['test.broken', 'pays', second],
  ]);
});

test('a re-run of an older run neither breaks a test nor takes it back', async () => {
  const { team, until } = await startTeam();
  const rerun = async (id: number, hoursAgo: number, created: number, ...cases: string[]) => {
    const created_at = new Date(Date.now() - created * 3_600_000).toISOString();
    await startRun(team, { id, attempt: 2, hoursAgo, created_at });
    assert.equal((await upload(team, { run: id, attempt: 2 }, xml(...cases))).status, 201);
  };
  const stateOf = async (name: string) => {
    const { body } = await team.viewer.call('GET', team.path(`/tests?q=${name}`));
    return body.items[0]?.['state'];
  };
  const old = await report(team, { hoursAgo: 20 }, failed('pays'), passed('adds'));
  const next = await report(team, { hoursAgo: 10 }, passed('pays'), failed('adds'));
  await until(2);
  // The old commit again, in which one test is still broken and the other one was not yet.
  await rerun(old, 5, 20, failed('pays'), passed('adds'));
  assert.deepEqual([await stateOf('pays'), await stateOf('adds')], ['new', 'broken']);
  await rerun(next, 3, 10, passed('pays'), failed('adds'));
  await report(team, { hoursAgo: 2 }, failed('pays'), failed('adds'));
  assert.deepEqual(
    (await until(3)).map(([, name]) => name),
    ['pays', 'adds', 'pays'],
  );
});

test('a test that becomes flaky is sent, and none in quarantine', async () => {
  const { team, until } = await startTeam();
  const flaky = (name: string): string => `<testcase name="${name}"><flakyFailure/></testcase>`;
  const run = await startRun(team, { hoursAgo: 5, branch: 'topic' });
  await upload(team, { run: run.id }, xml(failed('pays')));
  await startRun(team, { ...run, hoursAgo: 5, branch: 'topic', attempt: 2 });
  await upload(team, { run: run.id, attempt: 2 }, xml(passed('pays')));
  assert.deepEqual(await until(1), [['test.flaky', 'pays', run.id]]);
  const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky'));
  const path = team.path(`/tests/${String(body.items[0]?.['testId'])}/quarantine`);
  assert.equal((await team.member.call('PUT', path, { reason: 'Race' })).status, 200);
  await report(team, { hoursAgo: 3 }, failed('pays'), passed('counts'));
  const other = await report(team, { hoursAgo: 2 }, flaky('adds'), passed('counts'));
  assert.deepEqual((await until(2)).at(-1), ['test.flaky', 'adds', other]);
});

test('a test that is still broken or flaky when its quarantine ends is sent then', async () => {
  const { team, until } = await startTeam();
  const flaky = (name: string): string => `<testcase name="${name}"><flakyFailure/></testcase>`;
  const first = await report(team, { hoursAgo: 6 }, ...['pays', 'adds', 'counts'].map(flaky));
  await until(3);
  const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky'));
  const idOf = (name: string) => String(body.items.find((each) => each['name'] === name)?.['testId']);
  const quarantine = (name: string) => team.path(`/tests/${idOf(name)}/quarantine`);
  for (const name of ['pays', 'adds', 'counts'])
    assert.equal((await team.member.call('PUT', quarantine(name), { reason: 'Race' })).status, 200);
  const broke = await report(team, { hoursAgo: 4 }, failed('pays'), passed('adds'), failed('counts'));
  assert.equal((await team.member.call('DELETE', quarantine('pays'))).status, 204);
  assert.deepEqual((await until(4)).at(-1), ['test.broken', 'pays', broke]);
  assert.equal((await team.member.call('DELETE', quarantine('adds'))).status, 204);
  assert.deepEqual((await until(5)).at(-1), ['test.flaky', 'adds', first]);
  // One whose time is over, and that fails again before anybody noted the end.
  await product.database.asOwner(`update test_quarantines set until = now() where integration_id = $1`, [
    team.integrationId,
  ]);
  await report(team, { hoursAgo: 2 }, failed('pays'), failed('counts'));
  assert.deepEqual((await until(6)).slice(5), [['test.broken', 'counts', broke]]);
});

test('a run of a fork on a branch with the name of the default branch breaks no test', async () => {
  const { team, until } = await startTeam();
  await report(team, { hoursAgo: 6 }, passed('pays'), passed('adds'));
  const head_repository = { id: 999, full_name: 'mallory/site' };
  await report(team, { hoursAgo: 5, head_repository }, failed('pays'), passed('adds'));
  const own = await report(team, { hoursAgo: 4 }, passed('pays'), failed('adds'));
  assert.deepEqual(await until(1), [['test.broken', 'adds', own]]);
});

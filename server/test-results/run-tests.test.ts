import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Overview } from '#contract/metrics/overview.ts';
import type { PullRequestDetail } from '#contract/runs/pull-requests.ts';
import type { FailedTest, RunTests } from '#contract/tests/tests.ts';
import { jobPayload, pullRequestPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { newTeam, baseUrl } = product;
const { startRun, upload } = reportSender(product);

const ofRun = async (team: Team, runId: number): Promise<RunTests> =>
  (await team.viewer.call('GET', team.path(`/workflows/${runId}/tests`))).body as unknown as RunTests;
const news = (tests: readonly FailedTest[]): string[] =>
  tests.map(({ name, isNew }) => `${name} ${isNew ? 'new' : 'known'}`);

test('a failed test of a branch is new if it failed nowhere else and is not flaky', async () => {
  const team = await newTeam();
  const main = await startRun(team, { hoursAgo: 50 });
  const flake = '<testcase name="flaky"><flakyFailure message="timeout"/></testcase>';
  await upload(team, { run: main.id }, xml(failed('red on main'), flake, passed('other'), passed('own')));
  const other = await startRun(team, { branch: 'other', hoursAgo: 40 });
  await upload(team, { run: other.id }, xml(failed('other')));
  const earlier = await startRun(team, { branch: 'topic', hoursAgo: 30 });
  await upload(team, { run: earlier.id }, xml(failed('own')));
  const run = await startRun(team, { branch: 'topic', hoursAgo: 20 });
  const names = ['red on main', 'flaky', 'other', 'own', 'first'];
  await upload(team, { run: run.id }, xml(...names.map((name) => failed(name))));
  const { tests } = await ofRun(team, run.id);
  assert.deepEqual(news(tests).slice(0, 2).toSorted(), ['first new', 'own new']);
  assert.deepEqual(news(tests).slice(2).toSorted(), ['flaky known', 'other known', 'red on main known']);
});

test('a failed test of the default branch is new in the run that broke it', async () => {
  const team = await newTeam();
  const runs = [];
  for (const hoursAgo of [3, 2, 1]) runs.push((await startRun(team, { hoursAgo })).id);
  const [green = 0, first = 0, second = 0] = runs;
  await upload(team, { run: green }, xml(passed('a')));
  await upload(team, { run: first }, xml(failed('a')));
  await upload(team, { run: second }, xml(failed('a')));
  assert.deepEqual(news((await ofRun(team, first)).tests), ['a new']);
  assert.deepEqual(news((await ofRun(team, second)).tests), ['a known']);
});

test('the checks of a pull request have the totals of their reports and their failed tests', async () => {
  const team = await newTeam();
  const sha = 'c'.repeat(40);
  const pull = pullRequestPayload(
    { number: 7, head: { ref: 'topic', sha }, base: { ref: 'main' } },
    { number: 7 },
  );
  assert.equal((await postWebhook(baseUrl, team, { event: 'pull_request', payload: pull })).status, 200);
  const pullRequests = [{ number: 7, head: { ref: 'topic', sha }, base: { ref: 'main' } }];
  const run = await startRun(team, { branch: 'topic', sha, pull_requests: pullRequests });
  const checks = async () => {
    const { body } = await team.viewer.call('GET', team.path('/pull-requests/7'));
    return (body as unknown as PullRequestDetail).commits[0]?.checks ?? [];
  };
  assert.deepEqual(
    (await checks()).map(({ tests }) => tests),
    [null],
  );
  await upload(team, { run: run.id }, xml(failed('a', 'no such file'), passed('b'), passed('c')));
  await upload(team, { run: run.id, job: 'e2e', suite: 'e2e' }, xml(passed('a')));
  const [check] = await checks();
  assert.deepEqual([check?.tests?.tests, check?.tests?.failed, check?.tests?.flaky], [4, 1, 0]);
  assert.deepEqual(
    check?.tests?.items.map(({ name, isNew, message }) => [name, isNew, message]),
    [['a', true, 'no such file']],
  );
});

test('a red workflow names the tests that failed, the one that broke last first', async () => {
  const team = await newTeam();
  const green = await startRun(team, { hoursAgo: 5 });
  await upload(team, { run: green.id }, xml(passed('z'), passed('y')));
  const red = await startRun(team, { hoursAgo: 4 });
  await upload(team, { run: red.id }, xml(failed('y'), passed('z')));
  const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const run = await startRun(team, {
    hoursAgo: 3,
    status: 'completed',
    conclusion: 'failure',
    updated_at: at,
  });
  const job = { id: 1, run_id: run.id, name: 'unit', status: 'completed', conclusion: 'failure' };
  const payload = jobPayload({ ...job, started_at: at, completed_at: at, head_branch: 'main' });
  assert.equal((await postWebhook(baseUrl, team, { event: 'workflow_job', payload })).status, 200);
  await upload(
    team,
    { run: run.id },
    xml(failed('z'), failed('y'), ...['a', 'b', 'c'].map((name) => failed(name))),
  );
  const failing = await waitUntil('a red workflow', async () => {
    const { body } = await team.viewer.call('GET', team.path('/overview'));
    return (body as unknown as Overview).needsAttention[0]?.failing ?? undefined;
  });
  assert.equal(failing.failedTests, 5);
  assert.deepEqual(
    failing.tests.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
});

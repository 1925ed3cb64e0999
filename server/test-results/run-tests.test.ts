import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureGroup, FailureGroupDetail } from '#contract/failures/failures.ts';
import type { Overview } from '#contract/metrics/overview.ts';
import type { PullRequestDetail } from '#contract/runs/pull-requests.ts';
import type { FailedTest, RunTests, TestDetail } from '#contract/tests/tests.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { postFailedJob } from '#test/support/data/failed-job.ts';
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
  const older = ['b', 'c', 'd', 'e', 'f'].map((name) => failed(name));
  await upload(team, { run: green }, xml(passed('a'), ...older));
  await upload(team, { run: first }, xml(failed('a'), ...older));
  await upload(team, { run: second }, xml(failed('a')));
  const ofFirst = async () => news((await ofRun(team, first)).tests);
  assert.equal((await ofFirst())[0], 'a new');
  assert.deepEqual(news((await ofRun(team, second)).tests), ['a known']);
  const repaired = await startRun(team);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await upload(team, { run: repaired.id }, xml(...names.map((name) => passed(name))));
  assert.equal((await ofFirst())[0], 'a new');
  assert.deepEqual(
    (await ofFirst()).filter((each) => each.endsWith('new')),
    ['a new'],
  );
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

/** A run with a report of its job, which fails afterwards. */
async function failJob(team: Team, step: string, ...names: string[]): Promise<number> {
  const { id } = await startRun(team);
  const cases = names.map((name) => failed(name, `${name} broke`));
  assert.equal((await upload(team, { run: id }, xml(...cases))).status, 201);
  await postFailedJob(baseUrl, team, { id, name: 'unit', step });
  await waitUntil('the reason of the job', async () => {
    const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}/failures`));
    return typeof (body['items'] as { groupId: unknown }[] | undefined)?.[0]?.groupId === 'string';
  });
  return id;
}

test('failures of a test form a group, whatever the job says, and both link to each other', async () => {
  const team = await newTeam();
  await failJob(team, 'Run npm test', 'a');
  await failJob(team, 'Run make test', 'a');
  const groups = async () =>
    (await team.viewer.call('GET', team.path('/failure-groups'))).body['items'] as FailureGroup[];
  const [group, ...others] = await groups();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [group?.failures, group?.errorLine, group?.test?.className, group?.test?.name, group?.isSpecific],
    [2, 'cart › a: a broke', 'cart', 'a', true],
  );
  const detail = (await team.viewer.call('GET', team.path(`/failure-groups/${group?.groupId}`)))
    .body as unknown as FailureGroupDetail;
  assert.deepEqual(
    detail.tests.map(({ testId }) => testId),
    [group?.test?.testId],
  );
  const page = (await team.viewer.call('GET', team.path(`/tests/${group?.test?.testId}`)))
    .body as unknown as TestDetail;
  assert.deepEqual(
    page.failureGroups.map(({ groupId, isOfTest, failures }) => [groupId, isOfTest, failures]),
    [[group?.groupId, true, 2]],
  );
});

test('a mark on the failure of a test does not silence another test of the same job', async () => {
  const team = await newTeam();
  await failJob(team, 'Run npm test', 'a');
  const mark = async (name: string) => {
    const { body } = await team.viewer.call('GET', team.path('/failure-groups'));
    const group = (body['items'] as FailureGroup[]).find((each) => each.test?.name === name);
    const path = team.path(`/failure-groups/${group?.groupId}`);
    assert.equal((await team.admin.call('PATCH', path, { status: 'flaky' })).status, 204);
  };
  await mark('a');
  const rule = ruleBody({ failureGroups: 'unmarked', events: ['job'] });
  assert.equal((await team.admin.call('POST', team.path('/notification-rules'), rule)).status, 201);
  const incidentsAfter = async (...names: string[]) => {
    await failJob(team, 'Run npm test', ...names);
    await untilEvaluated(product.database, team.integrationId);
    const { body } = await team.viewer.call('GET', team.path('/incidents?status=open'));
    return (body['items'] as { failedJobs: number }[]).reduce((sum, { failedJobs }) => sum + failedJobs, 0);
  };
  assert.equal(await incidentsAfter('a'), 0);
  assert.equal(await incidentsAfter('a', 'b'), 1);
  await failJob(team, 'Run npm test', 'b');
  await mark('b');
  const before = await incidentsAfter('a');
  assert.equal(await incidentsAfter('a', 'b'), before);
});

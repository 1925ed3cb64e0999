import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureGroup } from '#contract/failures/failures.ts';
import type { TestDetail } from '#contract/tests/tests.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { report, startArtifactProduct, type ArtifactRun } from '#test/support/forge/artifact-runs.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { failed } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { product, newRepositoryTeam, runWith, complete, untilLookedAt, testsOf } =
  await startArtifactProduct();
const { database } = product;
type Place = Awaited<ReturnType<typeof newRepositoryTeam>>;

/** Lets the forge report a failed job of a run that is not over. */
async function failJob({ team, repository }: Place, run: ArtifactRun, log: string) {
  const at = new Date().toISOString();
  const steps = [{ number: 1, name: 'go test', status: 'completed', conclusion: 'failure', started_at: at }];
  const id = Number(run.jobs[0]!['id']);
  const job = { ...run.jobs[0], conclusion: 'failure', status: 'completed', completed_at: at, steps };
  run.jobs[0] = job as never;
  run.attempts[0]!.conclusion = 'failure';
  repository.logs.set(id, log);
  const place = { id: repository.id, full_name: repository.name, default_branch: 'main' };
  const payload = { action: 'completed', workflow_job: job, repository: place };
  assert.equal((await postWebhook(product.baseUrl, team, { event: 'workflow_job', payload })).status, 200);
}

test('a failure group links to its test when the report of an artifact names it later', async () => {
  const place = await newRepositoryTeam();
  const run = runWith(place.repository, [{ name: 'junit', bytes: report(failed('TestPays')) }]);
  await failJob(place, run, '2026-11-20T12:00:01Z --- FAIL: TestPays (0.00s)\n');
  const groupOf = async () => {
    const { body } = await place.team.viewer.call('GET', place.team.path('/failure-groups'));
    return (body['items'] as FailureGroup[])[0];
  };
  await waitUntil('the group', async () => (await groupOf()) !== undefined, 20_000);
  const before = await groupOf();
  assert.equal(before?.test, null);
  await complete(place, run);
  await untilLookedAt(place.team, run.id);
  const testId = (await testsOf(place.team, run.id)).tests[0]!.testId;
  assert.deepEqual(await groupOf(), { ...before, test: { testId, className: 'cart', name: 'TestPays' } });
  const { body } = await place.team.viewer.call('GET', place.team.path(`/tests/${testId}`));
  assert.deepEqual(
    (body as unknown as TestDetail).failureGroups.map(({ groupId, isOfTest }) => [groupId, isOfTest]),
    [[before!.groupId, true]],
  );
});

test('a rule that leaves out quarantined tests waits for the artifacts of a failed attempt', async () => {
  const place = await newRepositoryTeam();
  const { team, repository } = place;
  const rule = await team.admin.call(
    'POST',
    team.path('/notification-rules'),
    ruleBody({ ignoreQuarantined: true }),
  );
  const flaky = runWith(repository, [
    { name: 'junit', bytes: report('<testcase name="TestPays"><flakyFailure/></testcase>') },
  ]);
  await complete(place, flaky);
  await untilLookedAt(team, flaky.id);
  const testId = (await testsOf(team, flaky.id)).tests[0]!.testId;
  const put = await team.member.call('PUT', team.path(`/tests/${testId}/quarantine`), { reason: 'Race' });
  assert.equal(put.status, 200);

  const asked = Promise.withResolvers<() => void>();
  const bytes = report(failed('TestPays'));
  const run = runWith(repository, [
    { name: 'junit', bytes: (_request, response) => asked.resolve(() => response.end(bytes)) },
  ]);
  await failJob(place, run, '--- FAIL: TestPays (0.00s)\n');
  await complete(place, run);
  const send = await asked.promise;
  // Evaluated after the others, as far as these do not wait.
  const green = runWith(repository, []);
  await complete(place, green);
  await waitUntil('the green run', async () => (await team.runs()).some(({ runId }) => runId === green.id));
  const waiting = await waitUntil('the green run to be evaluated', async () => {
    const rows = await database.asOwner<{ run: number }>(
      'select run_id::int as run from pending_evaluations where group_id = $1',
      [team.integrationId],
    );
    return rows.some((row) => row.run === green.id) ? undefined : rows;
  });
  assert.deepEqual(waiting, [{ run: run.id }, { run: run.id }]);
  send();
  await untilEvaluated(product.database, team.integrationId);
  const path = team.path(`/notification-rules/${String(rule.body['ruleId'])}/deliveries`);
  assert.deepEqual((await team.admin.call('GET', path)).body['items'], []);
});

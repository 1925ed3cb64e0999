import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Incident } from '#contract/alerts/incidents.ts';
import type { TestPage } from '#contract/tests/tests.ts';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { jobPayload, runPayload } from '#test/support/data/forge-events.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { startTeamProduct, type Team } from '#test/support/team/team.ts';
import { failed, passed, reportSender, xml } from '#test/support/team/test-reports.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const product = await startTeamProduct({}, ['api', 'worker']);
const { startRun, upload } = reportSender(product);
const fields = { ignoreQuarantined: true } as const;

/** A team with a rule that leaves out quarantined tests, and the test "pays" in quarantine. */
async function teamWithQuarantine(): Promise<Team> {
  const team = await product.newTeam();
  const rule = await team.admin.call('POST', team.path('/notification-rules'), ruleBody(fields));
  assert.equal(rule.status, 201);
  const { id } = await startRun(team);
  await upload(team, { run: id }, xml('<testcase name="pays"><flakyFailure/></testcase>', passed('counts')));
  const { body } = await team.viewer.call('GET', team.path('/tests?state=flaky'));
  const [pays] = (body as unknown as TestPage).items;
  const path = team.path(`/tests/${pays?.testId}/quarantine`);
  assert.equal((await team.member.call('PUT', path, { reason: 'Race' })).status, 200);
  return team;
}

interface FailedJob {
  name: string;
  report?: string;
  /** How its report calls it. */
  calls?: string;
}

/** Completes a run on a branch of its own with failed jobs and their reports. Returns its id. */
async function failRun(team: Team, ...jobs: FailedJob[]): Promise<number> {
  const { id, sha } = await startRun(team, {
    branch: `topic-${team.integrationId}-${jobs.length}-${Math.random()}`,
  });
  for (const { name, report, calls = name } of jobs)
    if (report !== undefined) assert.equal((await upload(team, { run: id, job: calls }, report)).status, 201);
  const at = new Date().toISOString();
  const common = { head_sha: sha, status: 'completed', conclusion: 'failure', completed_at: at };
  for (const [n, { name }] of jobs.entries())
    await postWebhook(product.baseUrl, team, {
      event: 'workflow_job',
      payload: jobPayload({ ...common, id: id * 10 + n, run_id: id, name, started_at: at }),
    });
  const { body } = await team.viewer.call('GET', team.path(`/workflows/${id}`));
  const { run } = body as unknown as WorkflowRunDetail;
  await postWebhook(product.baseUrl, team, {
    event: 'workflow_run',
    payload: runPayload({
      ...common,
      id,
      head_branch: run.headBranch,
      created_at: run.createdAt,
      run_started_at: run.startedAt,
      updated_at: at,
    }),
  });
  await waitUntil('the run to be completed', async () => {
    const answer = await team.viewer.call('GET', team.path(`/workflows/${id}`));
    const detail = answer.body as unknown as WorkflowRunDetail;
    return detail.run.status === 'completed' && detail.jobs.length === jobs.length;
  });
  await untilEvaluated(product.database, team.integrationId);
  return id;
}

async function incidentRuns(team: Team): Promise<number[]> {
  const { body } = await team.viewer.call('GET', team.path('/incidents'));
  return (body['items'] as unknown as Incident[]).map(({ firstFailure }) => firstFailure.runId).sort();
}

const pays = xml(failed('pays'), passed('counts'));

test('a failure in which only tests in quarantine failed opens no incident, and a back-test agrees', async () => {
  const team = await teamWithQuarantine();
  await failRun(team, { name: 'unit', report: pays });
  await failRun(team, { name: 'Unit tests', calls: 'unit', report: pays });
  assert.deepEqual(await incidentRuns(team), []);
  const other = await failRun(team, { name: 'unit', report: xml(failed('pays'), failed('counts')) });
  assert.deepEqual(await incidentRuns(team), [other]);
  const { body } = await team.admin.call(
    'POST',
    team.path('/notification-rules/back-test'),
    ruleBody(fields),
  );
  const { samples } = body as unknown as BackTestAnswer;
  assert.deepEqual(
    samples.map(({ failure }) => failure.runId),
    [other],
  );
});

test('a failed job whose reports do not explain it opens an incident', async () => {
  const team = await teamWithQuarantine();
  const without = await failRun(team, { name: 'unit' });
  const lint = await failRun(team, { name: 'unit', report: pays }, { name: 'lint' });
  const foreign = await failRun(team, { name: 'lint' }, { name: 'e2e', calls: 'unit', report: pays });
  const green = await failRun(team, { name: 'unit', report: xml(passed('pays')) });
  assert.deepEqual(await incidentRuns(team), [without, lint, foreign, green]);
});

test('failures count again when the quarantine is over', async () => {
  const team = await teamWithQuarantine();
  await product.database.asOwner(
    `update test_quarantines set until = now() - interval '1 second' where integration_id = $1`,
    [team.integrationId],
  );
  const run = await failRun(team, { name: 'unit', report: pays });
  assert.deepEqual(await incidentRuns(team), [run]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgejoRun, repository, startBesideOtherForges } from '#test/support/forge/other-forges.ts';
import type { WorkflowRunDetail, WorkflowRunPage } from '#contract/runs/runs.ts';

const { publicUrl, browser, createIntegration, deliver, runOf } = await startBesideOtherForges();

test('the end of a run of Forgejo is stored with all that it tells', async () => {
  const integration = await createIntegration();
  const payload = { action: 'success', run: forgejoRun(), prior_status: 'running' };
  assert.equal((await deliver(integration, 'forgejo', 'action_run_success', payload)).status, 200);
  const run = await runOf(integration.integrationId, 501);
  assert.deepEqual(
    [run.status, run.conclusion, run.title, run.runNumber, run.workflowName, run.headBranch, run.actor],
    ['completed', 'success', 'Fix the build', 12, 'test.yml', 'main', 'ann'],
  );
  assert.equal(run.startedAt, '2026-11-20T10:00:10.000Z');
  assert.equal(run.completedAt, '2026-11-20T10:01:10.000Z');
});

for (const [event, status, conclusion] of [
  ['action_run_failure', 'failure', 'failure'],
  ['action_run_failure', 'cancelled', 'cancelled'],
  ['action_run_recover', 'success', 'success'],
  ['action_run_failure', 'a new word', 'failure'],
] as const) {
  test(`${event} with the status "${status}" is a run that ended as ${conclusion}`, async () => {
    const integration = await createIntegration();
    await deliver(integration, 'forgejo', event, {
      run: forgejoRun({ status, stopped: '0001-01-01T00:00:00Z' }),
    });
    const run = await runOf(integration.integrationId, 501);
    assert.deepEqual([run.status, run.conclusion], ['completed', conclusion]);
    assert.ok(Date.parse(run.completedAt ?? '') > Date.parse('2026-01-01'), 'the zero time of Go is no time');
  });
}

test('a run of a fork is not on the default branch, whatever its branch is called', async () => {
  const integration = await createIntegration();
  const run = forgejoRun({ is_fork_pull_request: true, status: 'failure' });
  await deliver(integration, 'forgejo', 'action_run_failure', { run });
  await runOf(integration.integrationId, 501);
  const url = `${publicUrl}/api/integrations/${integration.integrationId}/workflows?branchClass=other`;
  const { items } = (await (await browser.fetch(url)).json()) as WorkflowRunPage;
  assert.deepEqual(
    items.map(({ runId }) => runId),
    [501],
  );
});

test("Forgejo's own words for a job mean what they say, in any order", async () => {
  const integration = await createIntegration();
  const job = (status: string, id: number) => ({
    action: status,
    repository,
    workflow_job: {
      id,
      run_id: 501,
      run_attempt: 0,
      name: `job ${id}`,
      status,
      labels: ['docker'],
      created_at: '2026-11-20T10:00:00Z',
      started_at: status === 'waiting' ? '0001-01-01T00:00:00Z' : '2026-11-20T10:00:10Z',
      completed_at: '0001-01-01T00:00:00Z',
    },
  });
  const sent = ['failure', 'running', 'waiting', 'blocked', 'skipped', 'cancelled', 'success'];
  for (const [index, status] of sent.entries())
    assert.equal((await deliver(integration, 'forgejo', 'workflow_job', job(status, index + 1))).status, 200);
  await deliver(integration, 'forgejo', 'workflow_job', job('waiting', 1));
  await deliver(integration, 'forgejo', 'action_run_failure', { run: forgejoRun({ status: 'failure' }) });
  await runOf(integration.integrationId, 501);
  const url = `${publicUrl}/api/integrations/${integration.integrationId}/workflows/501`;
  const { jobs } = (await (await browser.fetch(url)).json()) as WorkflowRunDetail;
  assert.deepEqual(
    jobs
      .toSorted((a, b) => a.jobId - b.jobId)
      .map(({ status, conclusion }) => [status, conclusion].join(' ').trim()),
    [
      'completed failure',
      // The run is over, so these are too, with an unknown result.
      'completed',
      'completed',
      'completed',
      'completed skipped',
      'completed cancelled',
      'completed success',
    ],
  );
});

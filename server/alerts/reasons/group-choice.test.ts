import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotificationRule, RuleBody } from '#contract/alerts/alerts.ts';
import type { BackTestAnswer } from '#contract/alerts/back-test.ts';
import type { Incident, Notification } from '#contract/alerts/incidents.ts';
import type { FailureGroup } from '#contract/failures/failures.ts';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import { failedJob, type FailedJobFacts } from '#test/support/data/failed-job.ts';
import { startAlertProgram } from '#test/support/alerts/alert-program.ts';
import { makeGroupsSpecific } from '#test/support/database/specific-groups.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { untilEvaluated } from '#test/support/alerts/pending-evaluations.ts';

const { program, call, items, addRule, post } = await startAlertProgram();

/** Sends a run, its completed job and the end of the run, as forges do, and waits until all rules are evaluated. */
async function complete(integration: CreatedIntegration, facts: FailedJobFacts): Promise<void> {
  const { run, job } = failedJob(facts);
  const begun = {
    ...run.workflow_run,
    status: 'in_progress',
    conclusion: null,
    updated_at: run.workflow_run.created_at,
  };
  await post(integration, 'workflow_run', { ...run, action: 'in_progress', workflow_run: begun });
  await post(integration, 'workflow_job', job);
  await post(integration, 'workflow_run', run);
  await waitUntil(`run ${facts.id}`, async () => {
    const runs = await items<{ runId: number; status: string }>(integration, 'workflows');
    return runs.some(({ runId, status }) => runId === facts.id && status === 'completed');
  });
  await untilEvaluated(program.database, integration.integrationId);
}

/** A rule that notifies somebody. */
const addNotifying = (integration: CreatedIntegration, fields: Partial<RuleBody>) =>
  addRule(integration, { ...fields, channels: [{ type: 'email', to: ['team@example.com'] }] });

/** The first failures of the incidents that the rule has notified about. */
async function failedRuns(
  integration: CreatedIntegration,
  { ruleId }: Pick<NotificationRule, 'ruleId'>,
): Promise<number[]> {
  const sent = await items<Notification>(integration, `notification-rules/${ruleId}/deliveries`);
  const notified = sent.filter(({ kind }) => kind === 'opened').map(({ incidentId }) => incidentId);
  return (await items<Incident>(integration, 'incidents'))
    .filter(({ incidentId }) => notified.includes(incidentId))
    .map(({ firstFailure }) => firstFailure.runId)
    .sort();
}

async function backTest(integration: CreatedIntegration, fields: Partial<RuleBody>): Promise<number[]> {
  const answer = await call(integration, 'POST', 'notification-rules/back-test', ruleBody(fields));
  assert.equal(answer.status, 200);
  const { samples } = (await answer.json()) as BackTestAnswer;
  return samples.map(({ failure }) => failure.runId).sort();
}

test('a rule about new failures notifies about causes that the default branch did not have before', async () => {
  const integration = await program.createIntegration();
  const fields = { failureGroups: 'new_on_default_branch' } as const;
  const rule = await addNotifying(integration, fields);
  await complete(integration, { id: 1, ago: 900, branch: 'topic' });
  await complete(integration, { id: 2, ago: 800 });
  await complete(integration, { id: 3, ago: 700, conclusion: 'success' });
  await complete(integration, { id: 4, ago: 600 });
  await complete(integration, { id: 5, ago: 500, conclusion: 'success' });
  await complete(integration, { id: 6, ago: 400, step: 'Lint' });
  assert.deepEqual(await failedRuns(integration, rule), [2, 6]);
  assert.deepEqual(await backTest(integration, fields), [2, 6]);
  assert.deepEqual(await backTest(integration, {}), [1, 2, 4, 6]);
});

test('a rule leaves out failures that are marked as known flaky or ignored', async () => {
  const integration = await program.createIntegration();
  const rule = await addNotifying(integration, { failureGroups: 'unmarked' });
  await complete(integration, { id: 11, ago: 900 });
  await complete(integration, { id: 12, ago: 800, conclusion: 'success' });
  await makeGroupsSpecific(program.database, integration.integrationId);
  const [group] = await items<FailureGroup>(integration, 'failure-groups');
  const mark = (status: string) => call(integration, 'PATCH', `failure-groups/${group!.groupId}`, { status });
  assert.equal((await mark('flaky')).status, 204);
  await complete(integration, { id: 13, ago: 700 });
  assert.deepEqual(await failedRuns(integration, rule), [11]);
  assert.deepEqual(await backTest(integration, { failureGroups: 'unmarked' }), []);
  assert.equal((await mark('acknowledged')).status, 204);
  await complete(integration, { id: 14, ago: 600 });
  // The branch has been red since run 13.
  assert.deepEqual(await failedRuns(integration, rule), [11, 13]);
});

test('a failed run without jobs matches, as if its cause were new', async () => {
  const integration = await program.createIntegration();
  const rule = await addNotifying(integration, { failureGroups: 'new_on_default_branch' });
  await post(integration, 'workflow_run', failedJob({ id: 21, conclusion: 'startup_failure' }).run);
  await waitUntil('the notification', async () => (await failedRuns(integration, rule)).length === 1);
});

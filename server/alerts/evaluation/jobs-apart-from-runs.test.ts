import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { setUpRuleEvaluator } from '#test/support/alerts/rule-evaluator.ts';
import { ageRows, readRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';

const { database, note, start, addRule, store, storeJob, pending, incidents, closedBy } =
  await setUpRuleEvaluator();

test('a job whose run never arrives is evaluated after a delay', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t, { evaluateAgainMs: 20 });
  await storeJob(evaluator, integrationId, 7, 'failure');
  // Both arrive together: the run is evaluated, the job waits.
  await store(evaluator, integrationId, 1, 'failure');
  await waitUntil('the run', async () => (await incidents(integrationId))[0]?.failedRuns === 1);
  assert.equal(await pending(integrationId), 1);
  await ageRows(database, 'pending_evaluations.noted_at', '1 minute');
  await waitUntil('the job', async () => (await pending(integrationId)) === 0);
  assert.equal((await incidents(integrationId))[0]?.failedJobs, 1);
});

test('a completion that has waited for long is looked at less often', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t, { evaluateAgainMs: 20, awaitRunMs: 24 * hourMs });
  await storeJob(evaluator, integrationId, 7, 'failure');
  await ageRows(database, 'pending_evaluations.noted_at', '1 hour');
  const dueInSeconds = async (): Promise<number> => {
    const [task] = await readRows<{ due_at: Date }>(database, 'tasks', {
      integration_id: integrationId,
      kind: 'rule-evaluation',
    });
    return ((task?.due_at ?? new Date(0)).getTime() - Date.now()) / 1000;
  };
  await waitUntil('a later time', async () => (await dueInSeconds()) > 30);
  assert.ok((await dueInSeconds()) <= 60);
});

test('a successful job that arrives before its run leaves the incident to the run', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await note(t);
  const begun = { status: 'in_progress', conclusion: null };
  await storeRun(database, integrationId, 5, begun);
  await storeJob(evaluator, integrationId, 5, 'failure');
  await storeJob(evaluator, integrationId, 6, 'success');
  await storeRun(database, integrationId, 6, begun);
  assert.equal(await pending(integrationId), 2);
  await start(t);
  await waitUntil('both', async () => (await pending(integrationId)) === 0);
  assert.deepEqual(await closedBy(integrationId), [null]);
});

test('a successful job of an unknown run closes its own incident', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t, { evaluateAgainMs: 20, awaitRunMs: 0 });
  await storeJob(evaluator, integrationId, 5, 'failure');
  await waitUntil('the incident', async () => (await closedBy(integrationId)).length === 1);
  await storeRun(database, integrationId, 6, { status: 'in_progress', conclusion: null });
  await storeJob(evaluator, integrationId, 6, 'success');
  assert.equal(await pending(integrationId), 0);
  await storeJob(evaluator, integrationId, 7, 'success');
  await waitUntil('the end', async () => (await closedBy(integrationId))[0] === 7);
  // Arrives late.
  await storeJob(evaluator, integrationId, 4, 'failure');
  await storeJob(evaluator, integrationId, 8, 'failure');
  await waitUntil('the next incident', async () => (await closedBy(integrationId)).length === 2);
  await storeJob(evaluator, integrationId, 9, 'success');
  await waitUntil('its end', async () => (await closedBy(integrationId))[1] === 9);
  assert.equal((await closedBy(integrationId)).length, 2);
});

test('an incident of several jobs closes when each of them succeeded', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t, { evaluateAgainMs: 20, awaitRunMs: 0 });
  const stored = async (runId: number, conclusion: string, name: string): Promise<void> => {
    await storeJob(evaluator, integrationId, runId, conclusion, name);
    await waitUntil(`${name} in ${runId}`, async () => (await pending(integrationId)) === 0);
  };
  await stored(5, 'failure', 'build');
  await stored(5, 'failure', 'test');
  await stored(6, 'success', 'build');
  assert.deepEqual(await closedBy(integrationId), [null]);
  await stored(6, 'success', 'test');
  assert.deepEqual(await closedBy(integrationId), [6]);
});

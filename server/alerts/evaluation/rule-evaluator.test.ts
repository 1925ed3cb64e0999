import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { notificationsOf } from '#test/support/alerts/stored-alerts.ts';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { setUpRuleEvaluator } from '#test/support/alerts/rule-evaluator.ts';
import { untilSessionWaits } from '#test/support/database/waiting-sessions.ts';
import { holdInserts } from '#test/support/database/faults.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { removeRule } from '#server/alerts/rules/save-rule.ts';
import type { RuleEvaluator } from './rule-evaluator.ts';

const { database, actorId, note, start, addRule, store, storeJob, pending, incidents, closedBy } =
  await setUpRuleEvaluator();

/** Refuses incidents of the repository, after the gate is opened. */
async function holdBack(t: TestContext, repository: string) {
  const when = `new.repository = '${repository}'`;
  const open = await holdInserts(t, database, { table: 'incidents', when, outcome: 'refused' });
  return { isReached: () => untilSessionWaits(database, 'the evaluation'), open };
}

/** Of a branch that counts only with a rule. */
const storeTopic = (evaluator: RuleEvaluator, integrationId: string, runId: number, conclusion: string) =>
  store(evaluator, integrationId, runId, conclusion, 'acme/site', 'topic');

/** Waits until the evaluator knows the rule. */
async function knowsRule(evaluator: RuleEvaluator, integrationId: string): Promise<void> {
  let runId = 900;
  await waitUntil('the rule is known', async () => {
    await storeTopic(evaluator, integrationId, (runId += 1), 'success');
    return (await pending(integrationId)) > 0;
  });
  await deleteRows(database, 'pending_evaluations', { group_id: integrationId });
}

test('a process evaluates the completions of a process that died', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const first = await note(t);
  await store(first, integrationId, 1, 'failure');
  assert.equal((await incidents(integrationId)).length, 0);
  await start(t);
  await waitUntil('the incident', async () => (await incidents(integrationId)).length === 1);
  assert.equal(await pending(integrationId), 0);
});

test('several processes count each failure once', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluators = await Promise.all([start(t), start(t), start(t)]);
  for (let runId = 1; runId <= 10; runId += 1) {
    await store(evaluators[0]!, integrationId, runId, 'failure');
  }
  await waitUntil('all counted', async () => (await incidents(integrationId))[0]?.failedRuns === 10);
  assert.equal((await incidents(integrationId)).length, 1);
});

test('a rule is evaluated from its creation, and nothing is enqueued after the last rule is deleted', async (t) => {
  const evaluator = await note(t);
  const integrationId = await insertIntegration(database);
  await storeTopic(evaluator, integrationId, 1, 'failure');
  await storeJob(evaluator, integrationId, 1, 'failure');
  assert.equal(await pending(integrationId), 0);
  const ruleId = await addRule(integrationId);
  await knowsRule(evaluator, integrationId);
  await removeRule(database.api, { integrationId, actorId }, ruleId);
  let runId = 2000;
  await waitUntil('nothing noted', async () => {
    const before = await pending(integrationId);
    await storeTopic(evaluator, integrationId, (runId += 1), 'failure');
    return (await pending(integrationId)) === before;
  });
});

test('without a rule only runs of the default branch that have a result are evaluated', async (t) => {
  const integrationId = await insertIntegration(database);
  const evaluator = await note(t);
  for (const conclusion of ['failure', 'success', 'cancelled', 'skipped'])
    await store(evaluator, integrationId, 10, conclusion);
  assert.equal(await pending(integrationId), 2);
  await deleteRows(database, 'pending_evaluations', { group_id: integrationId });
});

test('a completion that always fails does not block the next ones', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t);
  // The constraint makes the evaluation of this repository fail.
  await database.asOwner(`alter table incidents add constraint refuses check (repository <> 'acme/fault')`);
  await store(evaluator, integrationId, 1, 'failure', 'acme/fault');
  await store(evaluator, integrationId, 2, 'failure');
  await waitUntil('the one behind it', async () => (await incidents(integrationId)).length === 1);
  await waitUntil('none left', async () => (await pending(integrationId)) === 0);
});

test('a completion that becomes due during a failed evaluation is not dropped', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t, { evaluateAtOnce: 1 });
  await storeJob(evaluator, integrationId, 7, 'failure');
  const gate = await holdBack(t, 'acme/late');
  await store(evaluator, integrationId, 1, 'failure', 'acme/late');
  await gate.isReached();
  // The stored run makes the job due, which was enqueued first.
  await storeRun(database, integrationId, 7, { status: 'in_progress', conclusion: null });
  await gate.open();
  await waitUntil('none left', async () => (await pending(integrationId)) === 0);
  assert.equal((await incidents(integrationId)).length, 1);
});

test('a success that is older than the newest failure closes nothing, in any order of batches', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const evaluator = await start(t);
  const evaluated = async (runId: number, conclusion: string): Promise<void> => {
    await store(evaluator, integrationId, runId, conclusion);
    await waitUntil(`run ${runId}`, async () => (await pending(integrationId)) === 0);
  };
  await evaluated(5, 'failure');
  await evaluated(7, 'failure');
  await evaluated(6, 'success');
  assert.deepEqual(await closedBy(integrationId), [null]);
  await evaluated(8, 'success');
  assert.deepEqual(await closedBy(integrationId), [8]);
});

test('a backfill notifies nobody, but opens and closes incidents of default branches', async (t) => {
  const integrationId = await insertIntegration(database);
  await addRule(integrationId);
  const first = await start(t);
  await store(first, integrationId, 1, 'failure');
  await waitUntil('the incident', async () => (await incidents(integrationId)).length === 1);
  await first.stop();
  const evaluator = await start(t, { newsMs: -60_000 });
  await store(evaluator, integrationId, 2, 'failure');
  await store(evaluator, integrationId, 3, 'success');
  await store(evaluator, integrationId, 4, 'failure');
  await storeTopic(evaluator, integrationId, 5, 'failure');
  await waitUntil('all were looked at', async () => (await pending(integrationId)) === 0);
  assert.deepEqual(
    (await incidents(integrationId)).map(({ branch, failedRuns }) => [branch, failedRuns]),
    [
      ['main', 2],
      ['main', 1],
    ],
  );
  assert.deepEqual(await closedBy(integrationId), [3, null]);
  assert.deepEqual(
    (await notificationsOf(database, integrationId)).map(({ kind }) => kind),
    [],
  );
});

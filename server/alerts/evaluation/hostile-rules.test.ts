import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { mostPatternCharacters, mostRules } from '#contract/alerts/alerts.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { createRule } from '#server/alerts/rules/save-rule.ts';
import { findPast } from '#server/alerts/watches/find-episodes.ts';
import { listQueuedJobs } from '#server/alerts/watches/watch-history-store.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { storeJob, storeRun } from '#test/support/alerts/store-completions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { insertPendingEvaluations } from './completion-store.ts';
import { evaluateRules } from './evaluate-rules.ts';

const staysShort = watchTurns();
const now = Date.now();

/** All characters that a rule may have, in patterns that match almost. */
const include = Array.from({ length: mostPatternCharacters / 200 }, () => `${'*a'.repeat(99)}*b`);
const branches = { include, exclude: [] };
const longName = (index: number): string => `${'a'.repeat(250)}${index}`;

const database = await createTestDatabase();

test('the labels of a job are read up to a limit', async () => {
  const integrationId = await insertIntegration(database);
  const labels = Array.from({ length: 100 }, (_, index) => longName(index));
  await storeJob(database, integrationId, { id: 1, run_id: 1, name: 'build', labels, conclusion: 'success' });
  await database.worker.withScope({ integrationId }, async (tx) => {
    const [job] = await listQueuedJobs(tx, integrationId, new Date(0));
    assert.ok(job !== undefined && job.labels.length > 0 && job.labels.join('').length <= 2000);
  });
});

test('the patterns of all rules are compared with a name in short turns', async () => {
  const integrationId = await insertIntegration(database);
  const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
  for (let index = 0; index < mostRules; index++)
    await createRule(deps, { integrationId, actorId: randomUUID() }, ruleBody({ branches }));
  await storeRun(database, integrationId, 1, { conclusion: 'failure', branch: longName(1) });
  await database.worker.withScope({ integrationId }, async (tx) => {
    const run = {
      integrationId,
      runId: 1,
      attempt: 1,
      jobId: null,
      isGreen: false,
      isOfDefaultBranch: false,
    };
    await staysShort('an evaluation', async () => {
      await insertPendingEvaluations(tx, [{ ...run, deliverySeq: null, receivedAt: null }]);
      assert.equal(await evaluateRules(tx, integrationId, alertPolicy, now, 10), 1);
    });
  });
});

test('the patterns of a rule about what did not happen are compared with many names in short turns', async () => {
  const runs = Array.from({ length: 100 }, (_, index) => ({
    repository: 'acme/site',
    workflow: 'CI',
    branch: longName(index),
    runId: index,
    attempt: 1,
    event: 'push',
    url: null,
    at: now - index,
  }));
  const nothing = async () => [];
  const tests = { test_broken: nothing, test_flaky: nothing };
  const others = { queuedJobs: nothing, timedWorkflows: nothing, timedJobs: nothing, tests };
  const history = { now, startedRuns: async () => runs, ...others };
  const rule = ruleBody({ watch: 'did_not_run', everyHours: 1, branches });
  await staysShort('a back-test', () => findPast(history, rule));
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { watchTurns } from '#test/support/waiting/short-turns.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { backTest } from './back-test/back-test.ts';
import { evaluateRules } from '#server/alerts/evaluation/evaluate-rules.ts';
import { alertPolicy } from '#server/alerts/policy.ts';
import { createRule } from './save-rule.ts';
import { insertPendingEvaluations } from '#server/alerts/evaluation/completion-store.ts';
import { recordPayload } from '#test/support/data/record-payload.ts';
import { runPayload } from '#test/support/data/forge-events.ts';

const database = await createTestDatabase();
const integrationId = randomUUID();
await insertIntegration(database, integrationId);

/** The most expensive patterns, and branches that nearly match them. */
const costly = ruleBody({
  branches: { include: Array<string>(15).fill(`${'*a'.repeat(99)}b`), exclude: [] },
});
const failed = 80;
const runIds = Array.from({ length: failed }, (_, index) => index + 1);
const now = new Date().toISOString();
for (const runId of runIds)
  await recordPayload(
    database,
    integrationId,
    'workflow_run',
    runPayload({
      id: runId,
      name: 'CI',
      head_branch: 'a'.repeat(250) + runId,
      status: 'completed',
      conclusion: 'failure',
      created_at: now,
      updated_at: now,
    }),
  );

const staysShort = watchTurns();

const work: [name: string, run: () => Promise<unknown>][] = [
  ['a back-test', () => backTest({ db: database.api, clock: Date.now }, integrationId, costly)],
  [
    'an evaluation',
    async () => {
      const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
      await createRule(deps, { integrationId, actorId: randomUUID() }, costly);
      const pending = {
        integrationId,
        attempt: 1,
        jobId: null,
        isGreen: false,
        isOfDefaultBranch: false,
        deliverySeq: null,
        receivedAt: null,
      };
      const taken = await database.worker.withScope({ integrationId }, async (tx) => {
        await insertPendingEvaluations(
          tx,
          runIds.map((runId) => ({ ...pending, runId })),
        );
        return evaluateRules(tx, integrationId, alertPolicy, Date.now(), failed);
      });
      assert.equal(taken, failed);
    },
  ],
];

for (const [name, run] of work)
  test(`${name} with expensive patterns does not block other work`, () => staysShort(name, run));

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { ruleBody } from '#test/support/alerts/rule-body.ts';
import { createRule } from '#server/alerts/rules/save-rule.ts';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { insertPendingEvaluations } from './completion-store.ts';
import { waitsForRules } from './evaluation-store.ts';

const database = await createTestDatabase();

test('a delivery waits for the rules only in the scope of its own integration', async () => {
  const [ours, theirs] = [await insertIntegration(database), await insertIntegration(database)];
  const deps = { db: database.api, sealer: makeSealer([testMasterKey]), refusal: () => undefined };
  await createRule(deps, { integrationId: theirs, actorId: randomUUID() }, ruleBody());
  await database.worker.withScope({ integrationId: theirs }, (tx) =>
    insertPendingEvaluations(tx, [
      {
        integrationId: theirs,
        runId: 1,
        attempt: 1,
        jobId: null,
        isGreen: false,
        isOfDefaultBranch: false,
        deliverySeq: '5',
        receivedAt: null,
      },
    ]),
  );
  const waits = (scope: string, integrationId: string, seq: string) =>
    database.api.withScope({ integrationId: scope }, (tx) => waitsForRules(tx, integrationId, seq));
  assert.equal(await waits(theirs, theirs, '5'), true);
  assert.equal(await waits(theirs, theirs, '6'), false);
  assert.equal(await waits(ours, theirs, '5'), false, 'row-level security hides it');
});

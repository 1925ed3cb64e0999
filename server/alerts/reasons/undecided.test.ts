import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertPolicy } from '#server/alerts/policy.ts';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { isReasonPending } from './reason-store.ts';

const database = await createTestDatabase();

test('a notification waits longer for the conclusion of an earlier run than for a reason', async () => {
  const integrationId = await insertIntegration(database);
  for (const runId of [1, 2])
    await storeRun(database, integrationId, runId, { status: 'completed', conclusion: 'failure' });
  const isPending = (policy: typeof alertPolicy) =>
    database.worker.withScope({ integrationId }, (tx) =>
      isReasonPending(tx, integrationId, { runId: 2, attempt: 1, jobId: null }, policy),
    );
  assert.equal(await isPending(alertPolicy), false);
  const ago = alertPolicy.awaitReasonMs + 60_000;
  await database.asOwner(
    `insert into pending_conclusions (group_id, run_id, attempt, noted_at)
     values ($1, 1, 1, now() - $2 * interval '1 ms')`,
    [integrationId, ago],
  );
  assert.equal(await isPending(alertPolicy), true);
  assert.equal(await isPending({ ...alertPolicy, awaitConclusionMs: ago / 2 }), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '#platform/runtime/time-units.ts';
import { saveSuccesses } from '#server/alerts/branches/success-store.ts';
import { insertOutcomes } from '#server/deliveries/outcomes/outcome-store.ts';
import { insertUnqueued } from '#server/deliveries/unqueued/unqueued-store.ts';
import { recordLogEntry } from '#server/event-log/add-entry.ts';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { ageRows, countRows, updateRows } from '#test/support/database/rows.ts';
import { makeTemporaryDirectory } from '#test/support/product/temporary-directory.ts';

const tables = ['workflow_runs', 'event_log', 'delivery_outcomes', 'unqueued_deliveries', 'branch_successes'];

test('a worker forgets by itself whatever has been kept long enough', async (t) => {
  const database = await createTestDatabase();
  const integrationId = await insertIntegration(database);
  const old = new Date(Date.now() - 100 * dayMs);
  await storeRun(database, integrationId, 1, { conclusion: 'failure', completedAt: old });
  const entry = { type: 'run.failed', severity: 'error', title: 'CI failed', actorId: null } as const;
  await recordLogEntry(database.api, { ...entry, integrationId, details: {} });
  const ping = { receivedAt: old, reason: 'ping', event: null, forgeDeliveryId: null } as const;
  await database.api.withScope({ integrationId }, (tx) =>
    insertUnqueued(tx, integrationId, [{ ...ping, address: '192.0.2.1' }]),
  );
  await database.worker.withScope({ integrationId }, async (tx) => {
    insertOutcomes(tx, [{ integrationId, seqs: ['1'], codes: [0] }]);
    await saveSuccesses(tx, integrationId, 'run', [
      { key: Buffer.from(''), position: { runId: 1, attempt: 1 } },
    ]);
  });
  const previous = { previous_webhook_secret: '', previous_secret_valid_until: old.toISOString() };
  await updateRows(database, 'integrations', previous, { integration_id: integrationId });
  for (const time of ['event_log.at', 'delivery_outcomes.settled_at', 'branch_successes.at'] as const)
    await ageRows(database, time, '100 days');
  const left = async (): Promise<string[]> => {
    const ofIntegration = { integration_id: integrationId };
    const kept = [];
    for (const table of tables) if ((await countRows(database, table, ofIntegration)) > 0) kept.push(table);
    const ended = { ...ofIntegration, previous_webhook_secret: null };
    if ((await countRows(database, 'integrations', ended)) === 0) kept.push('the secret');
    return kept;
  };
  assert.deepEqual(await left(), [...tables, 'the secret']);

  const dataDir = await makeTemporaryDirectory();
  const worker = await startProduct('worker', {
    ...productEnv(database.url, dataDir),
    RUN_RETENTION_DAYS: '90',
  });
  t.after(() => worker.kill());
  await waitUntil('all of it to be gone', async () => (await left()).length === 0);
});

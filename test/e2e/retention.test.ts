import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { storeRun } from '#test/support/alerts/store-completions.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { productEnv } from '#test/support/product/product-env.ts';
import { startProduct } from '#test/support/product/product-process.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { countRows } from '#test/support/database/rows.ts';

const tables = ['workflow_runs', 'event_log', 'delivery_outcomes', 'unqueued_deliveries', 'branch_successes'];

test('a worker forgets by itself whatever has been kept long enough', async (t) => {
  const database = await createTestDatabase();
  const integrationId = await insertIntegration(database);
  const old = `now() - interval '100 days'`;
  await storeRun(database, integrationId, 1, { conclusion: 'failure' });
  for (const statement of [
    `update workflow_runs set created_at = ${old}, completed_at = ${old} where integration_id = $1`,
    `update integrations set previous_webhook_secret = '', previous_secret_valid_until = ${old} where integration_id = $1`,
    `insert into event_log (integration_id, at, type, severity, title) values ($1, ${old}, 'run.failed', 'error', 'CI failed')`,
    `insert into delivery_outcomes (integration_id, last_seq, first_seq, settled_at, seqs, codes) values ($1, 1, 1, ${old}, '{1}', '')`,
    `insert into unqueued_deliveries (integration_id, received_at, reason, address) values ($1, ${old}, 'ping', '192.0.2.1')`,
    `insert into branch_successes (integration_id, branch_key, at, run_id, attempt) values ($1, '', ${old}, 1, 1)`,
  ])
    await database.asOwner(statement, [integrationId]);
  const left = async (): Promise<string[]> => {
    const ofIntegration = { integration_id: integrationId };
    const kept = [];
    for (const table of tables) if ((await countRows(database, table, ofIntegration)) > 0) kept.push(table);
    const ended = { ...ofIntegration, previous_webhook_secret: null };
    if ((await countRows(database, 'integrations', ended)) === 0) kept.push('the secret');
    return kept;
  };
  assert.deepEqual(await left(), [...tables, 'the secret']);

  const dataDir = await mkdtemp(path.join(tmpdir(), 'forgewatch-retention-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const worker = await startProduct('worker', {
    ...productEnv(database.url, dataDir),
    RUN_RETENTION_DAYS: '90',
  });
  t.after(() => worker.kill());
  await waitUntil('all of it to be gone', async () => (await left()).length === 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { startTestProgram, type TestProgram } from '#test/support/product/test-program.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { runPayload, jobPayload } from '#test/support/data/forge-events.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { purgeMessages } from '#server/queue/postgres/maintenance/purge-messages.ts';
import { findOrCreateDemoUser } from '#server/identity/demo-identity.ts';
import { deleteIntegration } from './delete-integration.ts';
import { purgeRows } from './store.ts';
import { ageRows } from '#test/support/database/rows.ts';

const program = await startTestProgram();
const { database, baseUrl } = program;

/** Rows of the integration, by table; whatever table names it. */
async function rowsOf(integrationId: string): Promise<Record<string, number>> {
  const tables = await database.asOwner<{ name: string; key: string }>(
    `select c.oid::regclass::text as name, a.attname as key from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not a.attisdropped
       and a.attname in ('integration_id', 'group_id')`,
  );
  const counts: Record<string, number> = {};
  for (const { name, key } of tables) {
    const [row] = await database.asOwner<{ n: number }>(
      `select count(*)::int as n from ${name} where ${key}::text = $1`,
      [integrationId],
    );
    if (row?.n) counts[name] = row.n;
  }
  return counts;
}

async function fill(integration: Awaited<ReturnType<TestProgram['createIntegration']>>): Promise<void> {
  await postWebhook(baseUrl, integration, { event: 'workflow_run', payload: runPayload() });
  await postWebhook(baseUrl, integration, { event: 'workflow_job', payload: jobPayload() });
  await waitUntil('the events to be stored', async () => {
    const rows = await rowsOf(integration.integrationId);
    return rows['workflow_jobs'] === 1 && (rows['delivery_outcomes'] ?? 0) > 0;
  });
}

const purge = (integrationId: string, most: number): Promise<number> =>
  database.worker.withScope(
    { integrationId },
    async (tx) => (await purgeMessages(tx, program.sealer)) + (await purgeRows(tx, most)),
  );

test('rows of a deleted integration are purged in steps from every table, and no others', async () => {
  const [doomed, other] = [await program.createIntegration(), await program.createIntegration()];
  await fill(doomed);
  await fill(other);
  const kept = await rowsOf(other.integrationId);
  await deleteIntegration(
    { db: database.api, log: pino({ enabled: false }) },
    { integrationId: doomed.integrationId, actorId: await findOrCreateDemoUser(database.api) },
  );
  assert.ok(Object.keys(await rowsOf(doomed.integrationId)).length > 5);

  const steps = [];
  do steps.push(await purge(doomed.integrationId, 1));
  while (steps.at(-1) !== 0);
  assert.ok(steps.length > 2, 'one row of a table at a time');
  assert.deepEqual(await rowsOf(doomed.integrationId), { queue_group: 1, deleted_integrations: 1 });
  assert.deepEqual(await rowsOf(other.integrationId), kept);
  const messages = await database.asOwner<{ n: number }>(
    `select count(*)::int as n from queue_message join queue_group using (group_no) where group_id = $1`,
    [doomed.integrationId],
  );
  assert.deepEqual(messages, [{ n: 0 }]);

  await ageRows(database, 'deleted_integrations.deleted_at', '25 hours');
  await purge(doomed.integrationId, 1);
  assert.deepEqual(await rowsOf(doomed.integrationId), {});
});

test('an integration that exists cannot be purged', async () => {
  const { integrationId } = await program.createIntegration();
  const before = await rowsOf(integrationId);
  assert.equal(await purge(integrationId, 100), 0);
  assert.deepEqual(await rowsOf(integrationId), before);
});

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
import { listStoredDeliveries } from '#server/deliveries/store.ts';
import { integrationRows } from '#test/support/database/integration-rows.ts';
import { ageRows } from '#test/support/database/rows.ts';

const program = await startTestProgram();
const { database, baseUrl } = program;

/** The tables that hold rows of the integration. Other work may change what the rows say. */
const tablesOf = async (integrationId: string): Promise<string[]> =>
  Object.keys(await integrationRows(database, integrationId)).toSorted();

async function fill(integration: Awaited<ReturnType<TestProgram['createIntegration']>>): Promise<void> {
  await postWebhook(baseUrl, integration, { event: 'workflow_run', payload: runPayload() });
  await postWebhook(baseUrl, integration, { event: 'workflow_job', payload: jobPayload() });
  await waitUntil('the events to be stored', async () => {
    const tables = await tablesOf(integration.integrationId);
    return tables.includes('workflow_jobs') && tables.includes('delivery_outcomes');
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
  const kept = await tablesOf(other.integrationId);
  await deleteIntegration(
    { db: database.api, log: pino({ enabled: false }) },
    { integrationId: doomed.integrationId, actorId: await findOrCreateDemoUser(database.api) },
  );
  assert.ok((await tablesOf(doomed.integrationId)).length > 5);

  const steps = [];
  do steps.push(await purge(doomed.integrationId, 1));
  while (steps.at(-1) !== 0);
  assert.ok(steps.length > 2, 'one row of a table at a time');
  assert.deepEqual(await tablesOf(doomed.integrationId), ['deleted_integrations', 'queue_group']);
  assert.deepEqual(await tablesOf(other.integrationId), kept);
  const { integrationId } = doomed;
  const messages = await database.api.withScope({ integrationId }, (tx) =>
    listStoredDeliveries(tx, undefined, {}, 10),
  );
  assert.deepEqual(messages, []);

  await ageRows(database, 'deleted_integrations.deleted_at', '25 hours');
  await purge(doomed.integrationId, 1);
  assert.deepEqual(await tablesOf(doomed.integrationId), []);
});

test('an integration that exists cannot be purged', async () => {
  const { integrationId } = await program.createIntegration();
  const before = await tablesOf(integrationId);
  assert.equal(await purge(integrationId, 100), 0);
  assert.deepEqual(await tablesOf(integrationId), before);
});

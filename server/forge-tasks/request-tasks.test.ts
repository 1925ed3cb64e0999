import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import {
  endLinkTasks,
  listIntegrationsWithTasks,
  requestWebhookUpdate,
  requestInstallationTasks,
  startLinkTasks,
} from './request-tasks.ts';
import { deleteRows } from '#test/support/database/rows.ts';

const database = await createTestDatabase();
const [ours, theirs] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
] as const;

for (const installationId of [1, 2]) await insertInstallation(database, installationId);

/** Both integrations link both installations and read their history. All tasks failed twice and wait for tomorrow. */
beforeEach(async () => {
  await deleteRows(database, 'forge_tasks');
  for (const integrationId of [ours, theirs]) {
    await database.api.withScope({ integrationId }, async (tx) => {
      await startLinkTasks(tx, integrationId, '1');
      await startLinkTasks(tx, integrationId, '2');
    });
  }
  await database.asOwner(
    `insert into forge_tasks (integration_id, installation_id, kind)
     select distinct integration_id, installation_id, 'history' from forge_tasks`,
  );
  await database.asOwner(`update forge_tasks set due_at = now() + interval '1 day', failures = 2`);
});

const tasksOf = async (condition: string): Promise<string[]> => {
  const rows = await database.asOwner<{ task: string }>(
    `select right(integration_id::text, 1) || ' ' || installation_id || ' ' || kind as task
     from forge_tasks where ${condition} order by 1`,
  );
  return rows.map(({ task }) => task);
};
const dueTasks = () => tasksOf('due_at <= now() and failures = 0');

test('a link starts the tasks for webhooks and unfinished runs, also when it is repeated', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => startLinkTasks(tx, ours, '1'));
  assert.deepEqual(await dueTasks(), ['1 1 unfinished', '1 1 webhooks']);
});

test('a link that ends keeps only the task that removes its webhooks, and makes it due', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => endLinkTasks(tx, ours, '1'));
  assert.deepEqual(await tasksOf(`integration_id = '${ours}' and installation_id = 1`), ['1 1 webhooks']);
  assert.deepEqual(await dueTasks(), ['1 1 webhooks']);
  assert.equal((await tasksOf('true')).length, 10);
});

test('a deleted integration ends the tasks of all its links', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => endLinkTasks(tx, ours));
  assert.deepEqual(await tasksOf(`integration_id = '${ours}'`), ['1 1 webhooks', '1 2 webhooks']);
  assert.deepEqual(await dueTasks(), ['1 1 webhooks', '1 2 webhooks']);
});

test('a changed secret requests the webhooks of one integration', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => requestWebhookUpdate(tx, ours));
  assert.deepEqual(await dueTasks(), ['1 1 webhooks', '1 2 webhooks']);
});

test('news of an installation requests the tasks of every integration that has some', async () => {
  const integrationIds = await database.worker.withScope({ installationId: '1' }, (tx) =>
    listIntegrationsWithTasks(tx, '1'),
  );
  assert.deepEqual(integrationIds.toSorted(), [ours, theirs]);
  await database.worker.withScope({ integrationIds }, (tx) => requestInstallationTasks(tx, '1'));
  assert.deepEqual(await dueTasks(), ['1 1 unfinished', '1 1 webhooks', '2 1 unfinished', '2 1 webhooks']);
});

test('the api does not see the tasks of an installation, only those of its integration', async () => {
  const seen = await database.api.withScope({ installationId: '1' }, (tx) =>
    listIntegrationsWithTasks(tx, '1'),
  );
  assert.deepEqual(seen, []);
  await database.api.withScope({ integrationId: ours }, (tx) => requestWebhookUpdate(tx, theirs));
  assert.deepEqual(await dueTasks(), []);
});

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { insertIdleTask } from '#test/support/forge/insert-task.ts';
import { insertInstallation } from '#test/support/forge/insert-installation.ts';
import {
  endLinkTasks,
  listIntegrationsWithTasks,
  requestWebhookUpdate,
  requestInstallationTasks,
  startLinkTasks,
} from './request-tasks.ts';
import { deleteRows, readRows, updateRows } from '#test/support/database/rows.ts';

const database = await createTestDatabase();
const [ours, theirs] = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
] as const;

for (const installationId of [1, 2]) await insertInstallation(database, installationId);

/** Both integrations link both installations and read their history. All tasks failed twice and wait for tomorrow. */
beforeEach(async () => {
  await deleteRows(database, 'tasks');
  for (const integrationId of [ours, theirs]) {
    await database.api.withScope({ integrationId }, async (tx) => {
      await startLinkTasks(tx, integrationId, '1');
      await startLinkTasks(tx, integrationId, '2');
    });
    for (const installationId of [1, 2])
      await insertIdleTask(database, integrationId, installationId, 'forge-history');
  }
  const tomorrow = new Date(Date.now() + dayMs);
  await updateRows(database, 'tasks', { due_at: tomorrow, failures: 2 });
});

/** The last digit of the integration, the installation and the kind of tasks; of all, or only of those that match. */
async function tasksOf(where: Record<string, string | number> = {}, isMeant = (_dueAt: Date) => true) {
  const rows = await readRows(database, 'tasks', where);
  return rows
    .filter(({ due_at: dueAt }) => isMeant(dueAt))
    .map(({ integration_id: id, key, kind }) => `${id.slice(-1)} ${key} ${kind}`)
    .sort();
}
const dueTasks = () => tasksOf({ failures: 0 }, (dueAt) => dueAt <= new Date());

test('a link starts the tasks for webhooks and unfinished runs, also when it is repeated', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => startLinkTasks(tx, ours, '1'));
  assert.deepEqual(await dueTasks(), ['1 1 forge-unfinished', '1 1 forge-webhooks']);
});

test('a link that ends keeps only the task that removes its webhooks, and makes it due', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => endLinkTasks(tx, ours, '1'));
  assert.deepEqual(await tasksOf({ integration_id: ours, key: '1' }), ['1 1 forge-webhooks']);
  assert.deepEqual(await dueTasks(), ['1 1 forge-webhooks']);
  assert.equal((await tasksOf()).length, 10);
});

test('a deleted integration ends the tasks of all its links', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => endLinkTasks(tx, ours));
  assert.deepEqual(await tasksOf({ integration_id: ours }), ['1 1 forge-webhooks', '1 2 forge-webhooks']);
  assert.deepEqual(await dueTasks(), ['1 1 forge-webhooks', '1 2 forge-webhooks']);
});

test('a changed secret requests the webhooks of one integration', async () => {
  await database.api.withScope({ integrationId: ours }, (tx) => requestWebhookUpdate(tx, ours));
  assert.deepEqual(await dueTasks(), ['1 1 forge-webhooks', '1 2 forge-webhooks']);
});

test('news of an installation requests the tasks of every integration that has some', async () => {
  const integrationIds = await database.worker.withScope({ installationId: '1' }, (tx) =>
    listIntegrationsWithTasks(tx, '1'),
  );
  assert.deepEqual(integrationIds.toSorted(), [ours, theirs]);
  await database.worker.withScope({ integrationIds }, (tx) => requestInstallationTasks(tx, '1'));
  assert.deepEqual(await dueTasks(), [
    '1 1 forge-unfinished',
    '1 1 forge-webhooks',
    '2 1 forge-unfinished',
    '2 1 forge-webhooks',
  ]);
});

test('the api does not see the tasks of an installation, only those of its integration', async () => {
  const seen = await database.api.withScope({ installationId: '1' }, (tx) =>
    listIntegrationsWithTasks(tx, '1'),
  );
  assert.deepEqual(seen, []);
  await database.api.withScope({ integrationId: ours }, (tx) => requestWebhookUpdate(tx, theirs));
  assert.deepEqual(await dueTasks(), []);
});

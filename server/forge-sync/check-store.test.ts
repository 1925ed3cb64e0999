import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { listUnfinishedRuns } from './check-store.ts';

const database = await createTestDatabase();

test('runs of repositories that nobody chooses are not looked up', async () => {
  const integrationId = await insertIntegration(database);
  await database.asOwner(
    `insert into linked_repositories (integration_id, repository, is_chosen)
     values ($1, 'acme/chosen', true), ($1, 'acme/former', false)`,
    [integrationId],
  );
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, pull_requests,
       created_at)
     values ($1, 1, 1, '', 'acme/chosen', 'queued', true, '{}', now() - interval '1 day'),
       ($1, 2, 1, '', 'acme/former', 'queued', true, '{}', now() - interval '1 day')`,
    [integrationId],
  );
  const runs = await database.worker.withScope({ integrationId }, (tx) =>
    listUnfinishedRuns(tx, { integrationId, installationId: null }, { silentMs: 1000, most: 10 }),
  );
  assert.deepEqual(
    runs.map(({ repository }) => repository),
    ['acme/chosen'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeSealer } from '#platform/runtime/secrets/sealing.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { createTestDatabase, testMasterKey } from '#test/support/database/test-database.ts';
import { readRunFailures } from './read-run-failures.ts';

const database = await createTestDatabase();

test('each shown job of an attempt with more than a hundred failures has its reason', async () => {
  const integrationId = await insertIntegration(database);
  await database.asOwner(
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, pull_requests,
       created_at)
     values ($1, 1, 1, '', 'acme/site', 'completed', true, '{}', now())`,
    [integrationId],
  );
  // The job that began first has the largest id.
  await database.asOwner(
    `insert into workflow_jobs (integration_id, run_id, attempt, job_id, version, repository, name, status, conclusion, labels, steps,
       on_default_branch, created_at, completed_at)
     select $1, 1, 1, n, '', 'acme/site', 'job ' || n, 'completed', 'failure', '{}', '[]', true,
       now() - n * interval '1 second', now() from generate_series(1, 120) n`,
    [integrationId],
  );
  await database.asOwner(
    `insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, on_default_branch, job,
       error_line, failed_at)
     select $1, 1, 1, n, $1, 'acme/site', true, 'job ' || n, 'line ' || n, now() from generate_series(1, 120) n`,
    [integrationId],
  );
  const sealer = makeSealer([testMasterKey]);
  const { items } = await database.api.withScope({ integrationId }, (tx) =>
    readRunFailures(tx, sealer, integrationId, 1, undefined),
  );
  assert.equal(items.length, 100);
  assert.deepEqual([items[0]?.job, items[0]?.errorLine], ['job 120', 'line 120']);
});

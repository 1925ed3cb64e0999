import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { integrationId } from '#test/support/data/forge-events.ts';
import { fillWithRuns } from '#test/support/data/many-runs.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import { findMarked } from './deployment-store.ts';
import { readDeployments } from './read-deployments.ts';
import { listEnvironments } from './source-store.ts';

const database = await createTestDatabase();
const now = Date.now();

before(async () => {
  await insertIntegration(database, integrationId);
  const other = await insertIntegration(database);
  await fillWithRuns(database, integrationId, 5000);
  for (const text of [
    `insert into deployments (integration_id, deployment_id, version, repository, environment, sha, state, updated_at)
     select id, n, '', 'acme/site', case when n % 10 = 0 then 'production' else 'preview ' || n % 500 end,
       lpad(to_hex(n), 40, '0'), 'success', now() - n * interval '1 hour'
     from unnest(array[$1, $2]::uuid[]) id, generate_series(1, 20000) n`,
    `insert into commit_ranges (integration_id, repository, base_sha, head_sha, state, total, commits)
     select id, 'acme/site', lpad(to_hex(n + 10), 40, '0'), lpad(to_hex(n), 40, '0'), 'read', 1,
       json_build_array(json_build_object('sha', lpad(to_hex(n), 40, '0'), 'title', 'One'))
     from unnest(array[$1, $2]::uuid[]) id, generate_series(1, 20000) n`,
    `insert into deployment_marks (integration_id, deployment_key, has_failed)
     select id, 'deployment-' || n, true from unnest(array[$1, $2]::uuid[]) id, generate_series(1, 5000) n`,
    `insert into deployment_sources (integration_id, environment) select id, 'production' from unnest(array[$1, $2]::uuid[]) id`,
    `insert into deployment_sources (integration_id, repository, workflow, job)
     select id, 'acme/7', 'CI 1', unnest(array[null, 'build']) from unnest(array[$1, $2]::uuid[]) id`,
  ])
    await database.asOwner(text, [integrationId, other]);
  await database.asOwner(
    `update pull_requests set merge_sha = lpad(to_hex(number), 40, '0'), merged_at = now() where number % 7 = 0`,
  );
  await database.asOwner('analyze');
});

test('deployments of a range are read from indexes, with the pull requests and marks of the newest', async () => {
  const span = { from: now - 30 * dayMs, to: now, repository: undefined, branch: undefined, now };
  const plans = await plansOf(database.api, integrationId, async (tx) => {
    const read = await readDeployments(tx, integrationId, span);
    assert.ok((read?.items.length ?? 0) > 50);
  });
  assert.doesNotMatch(plans, /Seq Scan on (?!deployment_sources|linked_repositories|users)/, plans);
  for (const index of [
    'deployments_by_time',
    'workflow_runs_default_branch',
    'commit_ranges_pkey',
    'pull_requests_by_merge',
    'deployment_marks_pkey',
  ])
    assert.match(plans, new RegExp(index));
});

test('the environments and what is marked are read from indexes', async () => {
  const plans = await plansOf(database.api, integrationId, async (tx) => {
    await listEnvironments(tx, integrationId);
    for (const key of ['deployment-5', 'run-5-1', 'job-5-5']) await findMarked(tx, integrationId, key);
  });
  assert.doesNotMatch(plans, /Seq Scan/, plans);
});

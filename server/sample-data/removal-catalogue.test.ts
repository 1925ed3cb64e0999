import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/support/database/test-database.ts';

const database = await createTestDatabase();

/** Tables that name repositories, runs or failures, and how the removal of sample data treats them. */
const treated: Record<string, string> = {
  artifact_checks: 'deleted by id',
  badges: 'made by people',
  branch_successes: 'deleted by id',
  ci_counters: 'have no sample data',
  commit_ranges: 'deleted',
  daily_rollups: 'deleted',
  deployment_sources: 'made by people',
  deployments: 'deleted',
  failure_groups: 'deleted',
  failure_reasons: 'deleted with the run',
  hidden_workflows: 'made by people',
  hourly_rollups: 'deleted',
  incident_failures: 'deleted with the incident',
  incidents: 'deleted',
  job_log_parts: 'a cache of some days, which no page reaches without the job',
  job_logs: 'a cache of some days, which no page reaches without the job',
  job_successes: 'deleted by id',
  linked_repositories: 'forgotten with the connection to the forge of the samples',
  pending_branch_ends: 'deleted with pull requests',
  pending_conclusions: 'deleted with the run',
  pending_evaluations: 'deleted with the run',
  pending_failures: 'deleted with the run',
  personal_failures: 'deleted by id',
  pull_requests: 'deleted',
  realtime_outbox: 'pointers, which lead to nothing and are deleted after an hour',
  repositories: 'deleted',
  required_checks: 'deleted',
  reviews: 'deleted',
  run_checks: 'deleted with the run',
  test_failures: 'deleted by id',
  test_reports: 'deleted by id',
  tests: 'deleted with their days',
  trace_export_runs: 'pointers; the export skips a run that is gone',
  workflow_jobs: 'deleted with the run',
  workflow_owners: 'made by people',
  workflow_run_attempts: 'deleted with the run',
  workflow_runs: 'deleted',
  workflows: 'deleted',
};

test('every table that names a repository or a run is treated by the removal of sample data', async () => {
  const tables = await database.asOwner<{ name: string }>(
    `select distinct c.relname as name from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attname in ('repository', 'run_id') and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  assert.deepEqual(
    tables.map(({ name }) => name),
    Object.keys(treated),
  );
});

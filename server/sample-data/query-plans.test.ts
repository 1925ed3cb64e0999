import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Tx } from '#platform/database/database.ts';
import { insertIntegration } from '#test/support/database/insert-integration.ts';
import { plansOf } from '#test/support/database/query-plans.ts';
import { createTestDatabase } from '#test/support/database/test-database.ts';
import { deleteBranchStates, deleteIncidents } from './delete-incidents-store.ts';
import {
  deleteFailureGroups,
  deleteLogEntries,
  deletePullRequests,
  deleteRollups,
  deleteRuns,
  type Portion,
} from './delete-rows-store.ts';
import { sampleIdsFrom, sampleRepositories } from './sample-repositories.ts';

const database = await createTestDatabase();
const integrationIds = await Promise.all(Array.from({ length: 20 }, () => insertIntegration(database)));
const integrationId = integrationIds[0]!;

/** Each integration has 450 rows of a forge and 50 of sample data in each table. */
before(async () => {
  const ids = `unnest($1::uuid[]) id, generate_series(1, 500) n
    cross join lateral (select n > 450 as is_sample, case when n > 450 then $2 else 'acme/site' end as repository,
      case when n > 450 then ${sampleIdsFrom} + n else n end as number offset 0) s`;
  const failure = `'{"runId": 7, "at": "2026-01-01T00:00:00Z"}'::jsonb`;
  for (const text of [
    `insert into workflow_runs (integration_id, run_id, attempt, version, repository, status, on_default_branch, created_at,
       pull_requests) select id, number, 1, '', repository, 'completed', true, now(), '{}' from ${ids}`,
    `insert into workflow_jobs (integration_id, run_id, attempt, version, repository, status, on_default_branch, job_id, name, labels,
       steps) select id, number, 1, '', repository, 'completed', true, number, 'build', '{}', '[]' from ${ids}`,
    `insert into workflow_run_attempts (integration_id, run_id, attempt, version, repository, status, on_default_branch)
     select id, number, 1, '', repository, 'completed', true from ${ids}`,
    `insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, on_default_branch, job,
       error_line, failed_at) select id, number, 1, number, gen_random_uuid(), repository, true, 'build', '', now() from ${ids}`,
    `insert into failure_groups (integration_id, failure_group_id, repository, job, error_line, failures, first_seen_at, last_seen_at)
     select id, gen_random_uuid(), repository, 'build', '', 1, now(), now() from ${ids}`,
    `insert into pull_requests (integration_id, repository, number, version, draft, merged, labels)
     select id, repository, n, '', false, false, '{}' from ${ids}`,
    `insert into reviews (integration_id, review_id, version, repository, pull_request_number)
     select id, number, '', repository, n from ${ids}`,
    `insert into event_log (integration_id, type, severity, title, details)
     select id, 'run.failed', 'error', '', jsonb_build_object('repository', repository) from ${ids}`,
    `insert into incidents (integration_id, branch_key, repository, opened_at, failed_runs, failed_jobs, first_failure, last_failure)
     select id, sha256(n::text::bytea), repository, now(), 1, 0, ${failure}, ${failure} from ${ids}`,
    `insert into branch_successes (integration_id, branch_key, run_id, attempt)
     select id, sha256(n::text::bytea), number, 1 from ${ids}`,
    ...['pending_failures', 'pending_evaluations', 'pending_conclusions'].map(
      (table) =>
        `insert into ${table} (group_id, run_id, attempt${table === 'pending_failures' ? ', job_id, waits_for_log' : ''})
         select id, number, 1${table === 'pending_failures' ? ', number, true' : ''} from ${ids}`,
    ),
    `insert into run_checks (integration_id, run_id, times, next_at) select id, number, 1, now() from ${ids}`,
    `insert into hourly_rollups (integration_id, kind, start, series, repository, workflow, on_default_branch, count, succeeded, failed,
       cancelled, reruns, billable_minutes, busy_ms, durations, queue_times, is_sample)
     select id, 'run', date_trunc('hour', now()) - n * interval '1 hour', int4send(n), repository, 'CI', true, 1, 0, 1, 0, 0, 1, 1,
       '{1}', '{1}', is_sample from ${ids}`,
  ])
    await database.asOwner(text, [integrationIds, sampleRepositories[0]]);
  await database.asOwner('analyze');
});

for (const [name, step] of [
  ['runs', deleteRuns],
  ['pull requests', deletePullRequests],
  ['failure groups', deleteFailureGroups],
  ['rollups', deleteRollups],
  ['log entries', deleteLogEntries],
  ['incidents', deleteIncidents],
  ['states of branches', deleteBranchStates],
] as [string, (tx: Tx, portion: Portion) => Promise<number>][])
  test(`indexes find the ${name} of sample data`, async () => {
    const plan = await plansOf(database.worker, integrationId, (tx) => step(tx, { integrationId, most: 10 }));
    // Tables that are empty here, or have one row for each integration.
    assert.doesNotMatch(
      plan,
      /Seq Scan on (?!daily_rollups|job_successes|personal_failures|notifications|rollup_progress|pending_branch_ends)/,
      plan,
    );
  });

import { at } from '#test/support/data/forge-events.ts';
import { deleteRows } from '#test/support/database/rows.ts';
import type { TestDatabase } from '#test/support/database/test-database.ts';
import { monitoringTables } from './reading/monitoring-store.ts';

/** Leaves the integration with runs 1 to `count`, and with as many jobs, earlier attempts, rollups, pull requests and reviews. */
export async function fillWithRuns(
  database: TestDatabase,
  integrationId: string,
  count: number,
): Promise<void> {
  for (const table of [...monitoringTables, 'reviews']) await deleteRows(database, table);
  const columns = `integration_id, run_id, attempt, version, repository, status, on_default_branch`;
  const values = `$1, n, 1, '', 'acme/site', 'completed', true`;
  const numbers = `from generate_series(1, $2::int) n`;
  for (const text of [
    `insert into workflow_runs (${columns}, created_at, pull_requests, head_sha, head_branch, workflow_name, completed_at)
     select $1, n, 1, '', 'acme/' || n % 40, 'completed', true, now() - n * interval '1 minute', array_fill(n, array[n % 4]), 'sha ' || n,
       'topic ' || n % 100, 'CI ' || n % 3, now() ${numbers}`,
    `insert into workflow_jobs (${columns}, job_id, name, labels, steps, created_at, completed_at)
     select ${values}, n, 'build', '{}', '[]', '${at(0)}', now() - n * interval '1 minute' ${numbers}`,
    `insert into workflow_run_attempts (${columns}) select ${values} ${numbers}`,
    `insert into hourly_rollups (integration_id, kind, start, series, repository, workflow, on_default_branch, count, succeeded,
       failed, cancelled, reruns, billable_minutes, busy_ms, durations, queue_times)
     select $1, kind, date_trunc('hour', now()) - n / 20 * interval '1 hour', int4send(n), 'acme/site', 'CI', true,
       1, 0, 1, 0, 0, 1, 1, '{1}', '{1}'
     ${numbers}, unnest('{run,job,runner,run_any,job_any}'::text[]) kind`,
    `insert into pull_requests (integration_id, repository, number, version, draft, merged, labels, head_sha, head_branch, author,
       head_repository, state, created_at)
     select $1, 'acme/site', n, '', false, false, '{}', 'sha ' || n, 'topic ' || n % 100, 'author ' || n % 100,
       'eve/site', case when n % 10 = 0 then 'open' else 'closed' end, now() - n * interval '1 hour' ${numbers}`,
    `insert into repositories (integration_id, repository, forge_place, full_name, shown_name, earlier_names, default_branch,
       named_at)
     select $1, 'acme/app-' || n, 0, 'acme/app-' || n, 'acme/app-' || n, '{}', 'main', now() ${numbers} on conflict do nothing`,
    `insert into workflows (integration_id, repository, workflow, ref, name, shown_name, earlier_names, named_at)
     select $1, 'acme/app-' || n, 'CI', 'ci.yml', 'CI', 'CI', '{}', now() ${numbers} on conflict do nothing`,
    `insert into failure_reasons (integration_id, run_id, attempt, job_id, failure_group_id, repository, on_default_branch, job,
       error_line, failed_at)
     select $1, n, 1, n, gen_random_uuid(), 'acme/site', true, 'build', 'It broke', now() ${numbers} on conflict do nothing`,
    `insert into reviews (integration_id, review_id, version, repository, pull_request_number)
     select $1, n, '', 'acme/site', n ${numbers}`,
  ])
    await database.asOwner(text, [integrationId, count]);
  await database.asOwner('analyze');
}

export async function insertManyCounters(database: TestDatabase, integrationId: string): Promise<void> {
  await database.asOwner(
    `insert into ci_counters (integration_id, kind, series, result, repository, workflow, count, sum_ms, buckets)
     select case when n > 50 then gen_random_uuid() else $1 end, 'run', int4send(n), 'success', 'acme/site', 'CI', 1, 1, '{1}'
     from generate_series(1, 5000) n`,
    [integrationId],
  );
  await database.asOwner('analyze');
}

/** One workflow and its job have taken longer for so many hours. */
export async function makeRunsSlower(database: TestDatabase, hours: number): Promise<void> {
  await database.asOwner(
    `update hourly_rollups set repository = 'acme/1', workflow = 'CI 1', job = case when kind = 'job' then 'build' end,
       count = 12, succeeded = 12,
       durations = case when start < now() - $1 * interval '1 hour' then '[280:280]={12}' else '[320:320]={12}' end::integer[]
     where kind in ('run', 'job')`,
    [hours],
  );
}

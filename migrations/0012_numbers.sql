-- Indexes that keep the cost of dashboards independent of the length of the history, and days aggregated from hourly rollups.

-- A hash that identifies a workflow in an index, because repository and name together may exceed the size of an index entry.
create function workflow_key(repository text, workflow text) returns bigint language sql immutable parallel safe
  return hashtextextended(workflow, hashtextextended(repository, 0));

-- Columns instead of expressions in the index: with row-level security an index scan uses only leakproof conditions, and only a
-- superuser can declare a function leakproof.
alter table workflow_runs
  add workflow_key bigint generated always as (hashtextextended(coalesce(workflow_name, ''), hashtextextended(repository, 0))) stored,
  add branch_key bigint generated always as (hashtextextended(head_branch, 0)) stored,
  add repository_key bigint generated always as (hashtextextended(repository, 0)) stored;

-- The indexed columns do not change, so most updates of a run are heap-only. `completed_at` changes once.
create index workflow_runs_by_workflow on workflow_runs (integration_id, workflow_key, created_at desc, run_id desc);
create index workflow_runs_default_branch on workflow_runs (integration_id, workflow_key, created_at desc, run_id desc)
  where on_default_branch;
create index workflow_runs_by_branch on workflow_runs (integration_id, branch_key, created_at desc, run_id desc);
create index workflow_runs_by_repository on workflow_runs (integration_id, repository_key, created_at desc, run_id desc);
create index workflow_runs_open on workflow_runs (integration_id, created_at) where completed_at is null;
-- Re-runs are few, and each flaky job has one.
create index workflow_jobs_rerun on workflow_jobs (integration_id, created_at) where attempt > 1;
create index pull_requests_merged on pull_requests (integration_id, merged_at) include (created_at) where merged_at is not null;

-- The sums of a day's hours, by the start of the day in UTC; valid for the days in rollup_days. It also has sums of kinds: run_any
-- and job_any by conclusion alone, job_workflow without job and conclusion.
create table rollups_daily (like rollups, primary key (integration_id, kind, hour, series));
call protect_by_integration('rollups_daily');

-- Days with sums. A transaction that changes an hour of such a day deletes the day's row. An integration's numbers have one writer
-- at a time, which locks its row in realtime_stream.
create table rollup_days (
  integration_id  uuid not null,
  day             timestamptz not null,
  primary key (integration_id, day)
);
call protect_by_integration('rollup_days');

-- Aggregates the histograms of many rows.
create aggregate sum_counts(integer[]) (sfunc = add_counts, stype = integer[], initcond = '{}', parallel = safe);

-- Lists the integrations for background tasks, which read the rows of each integration in its own scope.
create policy owner_lists on integrations for select to current_user using (true);
create function all_integration_ids() returns setof uuid language sql stable
security definer set search_path = public, pg_temp as $$
  select integration_id from integrations
$$;
revoke execute on function workflow_key(text, text), sum_counts(integer[]), all_integration_ids() from public;
grant execute on function all_integration_ids() to forgewatch_worker;
grant execute on function workflow_key(text, text), sum_counts(integer[]), add_counts(integer[], integer[])
  to forgewatch_api, forgewatch_worker;

grant select, insert, delete on rollups_daily, rollup_days to forgewatch_worker;
grant select on rollups_daily, rollup_days to forgewatch_api;
-- What is older than RUN_RETENTION_DAYS goes; what it counted for stays.
grant delete on workflow_runs, workflow_run_attempts, workflow_jobs to forgewatch_worker;

-- What dashboards read: indexes that keep their cost apart from history's length, and days joined from hourly rollups.

-- Names a workflow in an index: repository and name together can be longer than an index takes.
create function workflow_key(repository text, workflow text) returns bigint language sql immutable parallel safe
  return hashtextextended(workflow, hashtextextended(repository, 0));

-- Columns and not expressions in the index: under row-level security an index serves only conditions that cannot leak,
-- and only a superuser could vouch for a function.
alter table workflow_runs
  add workflow_key bigint generated always as (hashtextextended(coalesce(workflow_name, ''), hashtextextended(repository, 0))) stored,
  add branch_key bigint generated always as (hashtextextended(head_branch, 0)) stored,
  add repository_key bigint generated always as (hashtextextended(repository, 0)) stored;

-- All on columns that keep their value, so that most updates of a run stay heap-only. `completed_at` changes once.
create index workflow_runs_by_workflow on workflow_runs (integration_id, workflow_key, created_at desc, run_id desc);
create index workflow_runs_default_branch on workflow_runs (integration_id, workflow_key, created_at desc, run_id desc)
  where on_default_branch;
create index workflow_runs_by_branch on workflow_runs (integration_id, branch_key, created_at desc, run_id desc);
create index workflow_runs_by_repository on workflow_runs (integration_id, repository_key, created_at desc, run_id desc);
create index workflow_runs_open on workflow_runs (integration_id, created_at) where completed_at is null;
-- Re-runs are few; whatever is flaky shows in one.
create index workflow_jobs_rerun on workflow_jobs (integration_id, created_at) where attempt > 1;
create index pull_requests_merged on pull_requests (integration_id, merged_at) include (created_at) where merged_at is not null;

-- The sums of a day's hours, by the day's start in UTC; valid for the days in rollup_days. Beside the kinds of the hours
-- it holds sums of these: run_any and job_any by conclusion alone, job_workflow without job and conclusion.
create table rollups_daily (like rollups, primary key (integration_id, kind, hour, series));
call protect_by_integration('rollups_daily');

-- Days whose sums are made. Whoever changes an hour of such a day takes its row away in the same transaction; writers of
-- an integration's numbers come one at a time (they lock its row in realtime_stream).
create table rollup_days (
  integration_id  uuid not null,
  day             timestamptz not null,
  primary key (integration_id, day)
);
call protect_by_integration('rollup_days');

-- Adds up histograms of many rows.
create aggregate sum_counts(integer[]) (sfunc = add_counts, stype = integer[], initcond = '{}', parallel = safe);

-- Duties that go through all integrations learn of them here, and see the rows of each in a scope of its own.
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

-- Keeps the cost of dashboards independent of the length of the history (docs/decisions/0010-dashboards-read-buckets.md). A row
-- counts all conclusions, the whole integration has rows of its own (run_any, job_any), and hours are added up to buckets (here
-- called blocks) of 6 hours, a day and a week, so that a quarter is read from about twenty buckets.

alter table rollups rename to rollups_by_conclusion;
alter index rollups_pkey rename to rollups_by_conclusion_pkey;

create table rollups (
  integration_id     uuid not null,
  kind               text not null check (kind in ('run', 'job', 'runner', 'run_any', 'job_any')),
  hour               timestamptz not null,
  series             bytea not null,
  repository         text,
  workflow           text,
  job                text,
  runner             text,
  on_default_branch  boolean,
  count              bigint not null,
  succeeded          bigint not null,
  failed             bigint not null,
  cancelled          bigint not null,
  reruns             bigint not null,
  billable_minutes   bigint not null,
  duration_ms        bigint not null,
  queue_ms           bigint not null,
  durations          integer[] not null,
  queue_times        integer[] not null
) with (fillfactor = 70);

insert into rollups
  with cells as (
    select integration_id, kind, hour, repository, workflow, job, runner, on_default_branch, conclusion, count, reruns,
      billable_minutes, duration_ms, queue_ms, durations, queue_times
    from rollups_by_conclusion
    union all
    select integration_id, kind || '_any', hour, null, null, null, null, null, conclusion, count, reruns,
      billable_minutes, duration_ms, queue_ms, durations, queue_times
    from rollups_by_conclusion where kind in ('run', 'job')
  )
  select integration_id, kind, hour,
    -- Computed like `seriesOf` in server/rollups/rollups.ts.
    substr(sha256(
      convert_to(coalesce(repository, ''), 'UTF8') || '\x00' || convert_to(coalesce(workflow, ''), 'UTF8') || '\x00'
      || convert_to(coalesce(job, ''), 'UTF8') || '\x00' || convert_to(coalesce(runner, ''), 'UTF8') || '\x00'
      || convert_to(coalesce(on_default_branch::text, ''), 'UTF8')), 1, 16),
    repository, workflow, job, runner, on_default_branch, sum(count),
    coalesce(sum(count) filter (where conclusion = 'success'), 0),
    coalesce(sum(count) filter (where conclusion in ('failure', 'timed_out', 'startup_failure', 'action_required')), 0),
    coalesce(sum(count) filter (where conclusion = 'cancelled'), 0),
    sum(reruns), sum(billable_minutes), sum(duration_ms), sum(queue_ms), sum_counts(durations), sum_counts(queue_times)
  from cells group by integration_id, kind, hour, repository, workflow, job, runner, on_default_branch;

alter table rollups add primary key (integration_id, kind, hour, series);
analyze rollups;
call protect_by_integration('rollups');
drop table rollups_by_conclusion, rollups_daily, rollup_days;

-- The numbered rows of each bucket. The kinds are in server/rollups/buckets/bucket-kinds.ts. `durations` and `queue_times` are
-- texts for `readCounts` in server/rollups/histograms.ts, because Postgres joins hundreds of texts at almost no cost.
create table rollup_blocks (
  integration_id     uuid not null,
  kind               text not null,
  hours              smallint not null,
  start              timestamptz not null,
  cell               integer not null,
  repository         text,
  workflow           text,
  job                text,
  runner             text,
  on_default_branch  boolean,
  count              bigint not null,
  succeeded          bigint not null,
  failed             bigint not null,
  cancelled          bigint not null,
  reruns             bigint not null,
  billable_minutes   bigint not null,
  duration_ms        bigint not null,
  durations          text,
  queue_times        text,
  primary key (integration_id, kind, hours, start, cell)
);
call protect_by_integration('rollup_blocks');

-- All buckets that end before this time exist, and are up to date except those with a dirty hour.
create table rollup_progress (
  integration_id  uuid primary key,
  until           timestamptz not null
);
call protect_by_integration('rollup_progress');

-- Dirty hours. A transaction that changes a finalized hour inserts it here. An integration's numbers have one writer at a time,
-- which locks its row in realtime_stream.
create table rollup_gaps (
  integration_id  uuid not null,
  start           timestamptz not null,
  primary key (integration_id, start)
);
call protect_by_integration('rollup_gaps');

grant select, insert, update on rollups, rollup_progress to forgewatch_worker;
grant select, insert, delete on rollup_blocks, rollup_gaps to forgewatch_worker;
grant select on rollups, rollup_blocks, rollup_progress, rollup_gaps to forgewatch_api;

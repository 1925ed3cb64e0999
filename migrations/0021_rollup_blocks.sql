-- What dashboards read stops depending on the length of the history. A cell no longer stands for one conclusion but counts
-- them, which makes a quarter of the cells; all of an integration in an hour has cells of its own (run_any, job_any); and
-- hours are added up to blocks of 6 hours, a day and a week, so that a quarter is read from some twenty blocks.

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
    -- As `seriesOf` in server/rollups/rollups.ts makes it.
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

-- The cells of blocks, each block's numbered; their kinds are in server/rollups/buckets/bucket-kinds.ts. `durations` and
-- `queue_times` are texts as `readCounts` in server/rollups/histograms.ts reads them: hundreds of them are joined to one
-- text at almost no cost.
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

-- All blocks that end by then are added up, but for those that hold a gap.
create table rollup_progress (
  integration_id  uuid primary key,
  until           timestamptz not null
);
call protect_by_integration('rollup_progress');

-- Blocks of 6 hours that changed after they were added up. Whoever changes an hour of one notes it in the same
-- transaction; writers of an integration's numbers come one at a time (they lock its row in realtime_stream).
create table rollup_gaps (
  integration_id  uuid not null,
  start           timestamptz not null,
  primary key (integration_id, start)
);
call protect_by_integration('rollup_gaps');

grant select, insert, update on rollups, rollup_progress to forgewatch_worker;
grant select, insert, delete on rollup_blocks, rollup_gaps to forgewatch_worker;
grant select on rollups, rollup_blocks, rollup_progress, rollup_gaps to forgewatch_api;

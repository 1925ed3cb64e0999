-- Numbers of completed runs and jobs, so that the cost of dashboards does not depend on the length of the history
-- (docs/decisions/0010-rollups-by-hour-and-day.md). An integration's numbers have one writer at a time, which locks its row
-- in realtime_stream.

-- Numbers by the hour of completion, written in the transaction of their rows. A run whose newest attempt is completed counts in
-- a row of kind run, a completed job of any attempt in a row of kind job and in one of kind runner; run_any and job_any count
-- the whole integration. A single table, so that a batch writes all rows in one statement. `series` is a hash of the names,
-- which together may exceed the 2,704 bytes of an index entry. `runner` contains the labels of a job, or the name of a runner.
-- Histograms are arrays over the buckets of server/rollups/histogram-buckets.ts, from the first bucket in use to the last. Null
-- in an array counts as 0.
create table hourly_rollups (
  integration_id     uuid not null,
  kind               text not null check (kind in ('run', 'job', 'runner', 'run_any', 'job_any')),
  start              timestamptz not null,
  series             bytea not null,
  repository         text,
  workflow           text,
  job                text,
  runner             text,
  on_default_branch  boolean,
  -- Sums of sample data are rows of their own, so that they can be removed.
  is_sample          boolean not null default false,
  count              bigint not null,
  succeeded          bigint not null,
  failed             bigint not null,
  cancelled          bigint not null,
  reruns             bigint not null,
  recovered          bigint not null default 0,
  billable_minutes   bigint not null,
  busy_ms            bigint not null,
  durations          integer[] not null,
  queue_times        integer[] not null,
  primary key (integration_id, kind, start, series)
) with (fillfactor = 70);
call protect_by_integration('hourly_rollups');
create index hourly_rollups_of_samples on hourly_rollups (integration_id, start) where is_sample;

-- Adds up two histograms.
create function add_counts(total integer[], delta integer[]) returns integer[] language plpgsql immutable strict parallel safe as $$
begin
  for bucket in coalesce(array_lower(delta, 1), 1) .. coalesce(array_upper(delta, 1), 0) loop
    if delta[bucket] <> 0 then
      total[bucket] := coalesce(total[bucket], 0) + delta[bucket];
    end if;
  end loop;
  return total;
end
$$;

-- Aggregates the histograms of many rows.
create aggregate sum_counts(integer[]) (sfunc = add_counts, stype = integer[], initcond = '{}', parallel = safe);

-- The sums of a day's hours, for days that are over. A day is not read while it is in dirty_rollup_days.
create table daily_rollups (like hourly_rollups including constraints, primary key (integration_id, kind, start, series));
call protect_by_integration('daily_rollups');
create index daily_rollups_of_samples on daily_rollups (integration_id, start) where is_sample;

create table rollup_progress (
  integration_id   uuid primary key,
  -- Hours before this time are finalized.
  finalized_until  timestamptz not null,
  -- Counts changes of finalized hours. Sums of finalized hours can be cached until it changes.
  version          bigint not null default 0
);
call protect_by_integration('rollup_progress');

-- Days that have to be added up, because their hours were finalized or changed after that.
create table dirty_rollup_days (
  integration_id  uuid not null,
  day             timestamptz not null,
  primary key (integration_id, day)
);
call protect_by_integration('dirty_rollup_days');

-- What a minute of a runner costs from a day of UTC on, until the next price of its labels. Admins set it.
create table minute_prices (
  integration_id  uuid not null references integrations on delete cascade,
  price_id        uuid not null default gen_random_uuid(),
  -- The labels of jobs, as in hourly_rollups.
  runner          text not null check (char_length(runner) between 1 and 500),
  valid_from      date not null,
  -- Millionths of the currency.
  price_parts     bigint not null check (price_parts between 0 and 100000000),
  currency        text not null check (currency ~ '^[A-Z]{3}$'),
  set_at          timestamptz not null default now(),
  set_by          uuid references users on delete set null,
  primary key (integration_id, price_id),
  unique (integration_id, runner, valid_from)
);
call protect_by_integration('minute_prices');
create index minute_prices_by_person on minute_prices (set_by);
grant select, insert, update, delete on minute_prices to forgewatch_api;

revoke execute on all routines in schema public from public;
grant execute on function sum_counts(integer[]), add_counts(integer[], integer[]) to forgewatch_worker;
grant select on hourly_rollups, daily_rollups, rollup_progress, dirty_rollup_days to forgewatch_api;
grant select, insert, update on hourly_rollups, rollup_progress to forgewatch_worker;
-- Sample data can be removed with its numbers.
grant delete on hourly_rollups to forgewatch_worker;
grant select, insert, delete on daily_rollups, dirty_rollup_days to forgewatch_worker;

-- Numbers of completed runs and jobs that never decrease, for programs that expect counters, such as Prometheus. Rollups do decrease:
-- a re-run takes the run out of its hour. A completion of an attempt counts once, in the transaction of its row, and is never
-- subtracted, also when the run is deleted.

-- Kind `run`: runs by repository, workflow and result. Kind `queue`: jobs by the labels of their runner. `series` is a hash of
-- the names, which together may exceed the 2,704 bytes of an index entry. An integration has at most as many series of each kind as
-- server/ci-metrics/counters.ts says. What belongs to others is in a series that is empty and has no names. `buckets` counts the measured times, an element for each
-- bucket of server/ci-metrics/buckets.ts, and `sum_ms` adds them up.
create table ci_counters (
  integration_id  uuid not null,
  kind            text not null check (kind in ('run', 'queue')),
  series          bytea not null,
  result          text not null,
  repository      text,
  workflow        text,
  runner          text,
  count           bigint not null,
  sum_ms          bigint not null,
  buckets         integer[] not null,
  primary key (integration_id, kind, series, result)
) with (fillfactor = 70);
call protect_by_integration('ci_counters');

grant select on ci_counters to forgewatch_api;
grant select, insert, update on ci_counters to forgewatch_worker;

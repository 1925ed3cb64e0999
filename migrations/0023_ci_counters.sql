-- Numbers of completed runs and jobs that never decrease, for programs that expect counters, such as Prometheus. Rollups do decrease:
-- a re-run takes the run out of its hour. A completion of an attempt counts once, in the transaction of its row, and is never
-- subtracted, also when the run is deleted.

-- Kind `run`: runs by repository, workflow and result. Kind `queue`: jobs by the labels of their runner. `series` is a hash of
-- the names, which together may exceed the 2,704 bytes of an index entry. `buckets` counts the measured times, an element for each
-- bucket of server/ci-metrics/buckets.ts, and `sum_ms` adds them up.
create table ci_counters (
  integration_id  uuid not null,
  kind            text not null check (kind in ('run', 'queue')),
  series          bytea not null,
  result          text not null,
  repository      text,
  workflow        text,
  runner          text,
  -- Only the first series of an integration are exported by name, so the order must not change.
  first_seen      timestamptz not null default clock_timestamp(),
  count           bigint not null,
  sum_ms          bigint not null,
  buckets         integer[] not null,
  primary key (integration_id, kind, series, result)
) with (fillfactor = 70);
call protect_by_integration('ci_counters');

grant execute on function sum_counts(integer[]), add_counts(integer[], integer[]) to forgewatch_api;
grant select on ci_counters to forgewatch_api;
grant select, insert, update on ci_counters to forgewatch_worker;

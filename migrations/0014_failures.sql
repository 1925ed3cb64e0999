-- Why jobs failed, and the groups of failures that have the same cause.

-- Failures of a repository with the same fingerprint. The id is derived from both. Counts, days and branches are kept here,
-- so that lists cost the same with any number of failures.
create table failure_groups (
  integration_id    uuid not null,
  failure_group_id  uuid not null,
  repository        text not null,
  workflow          text,
  job               text not null,
  step              text,
  error_line        text not null,
  infrastructure    text,
  -- The error line names a test, file, package, target or annotation.
  is_specific       boolean not null default false,
  -- What its log names, while no report named the test.
  subject           text,
  -- The test that failed, if a report named it.
  test_id           uuid,
  failures          bigint not null,
  first_seen_at     timestamptz not null,
  last_seen_at      timestamptz not null,
  -- The branches of the newest failures.
  branches          text[] not null default '{}',
  -- Failures of 14 days (UTC), from that of the newest failure backwards.
  trend             integer[] not null default array_fill(0, array[14]),
  trend_day         date not null default (now() at time zone 'UTC')::date,
  status            text not null default 'open' check (status in ('open', 'acknowledged', 'flaky', 'ignored')),
  -- An ignored group is open again after this time. Null: until somebody changes it.
  ignored_until     timestamptz,
  note              text,
  status_at         timestamptz,
  -- The member who set the status; kept when the user is deleted.
  status_by         uuid,
  primary key (integration_id, failure_group_id),
  constraint failure_groups_silenced_are_specific check (is_specific or status in ('open', 'acknowledged'))
) with (fillfactor = 80);
call protect_by_integration('failure_groups');
create index failure_groups_newest on failure_groups (integration_id, last_seen_at desc, failure_group_id desc);
create index failure_groups_of_test on failure_groups (integration_id, test_id, last_seen_at desc) where test_id is not null;

-- One row for each failed job of an attempt. Branch and run are repeated here, so that occurrences are found by index.
create table failure_reasons (
  integration_id     uuid not null,
  run_id             bigint not null,
  attempt            integer not null,
  job_id             bigint not null,
  failure_group_id   uuid not null,
  repository         text not null,
  branch             text,
  on_default_branch  boolean not null,
  job                text not null,
  step               text,
  step_number        integer,
  error_line         text not null,
  -- What else failed in the job: names of the log, and ids of tests. A mark on the group silences the job only when these are marked as well.
  other_subjects     text[] not null default '{}',
  infrastructure     text,
  -- Why there is no excerpt: no connection to the forge, or the forge did not return the log.
  without_log        text check (without_log in ('no_connection', 'unreadable')),
  -- Encrypted, like payloads: logs quote whatever a job prints.
  sealed_excerpt     bytea,
  failed_at          timestamptz not null,
  branch_key         bigint generated always as (hashtextextended(branch, 0)) stored,
  primary key (integration_id, run_id, attempt, job_id)
);
call protect_by_integration('failure_reasons');
create index failure_reasons_of_group on failure_reasons (integration_id, failure_group_id, failed_at desc, run_id desc);
create index failure_reasons_of_branch on failure_reasons (integration_id, failure_group_id, branch_key, failed_at desc);
create index failure_reasons_on_default_branch on failure_reasons (integration_id, failure_group_id, failed_at desc)
  where on_default_branch;
create index failure_reasons_by_age on failure_reasons (integration_id, failed_at);

-- Failed jobs whose reason is not stored yet, inserted in the transaction that stores the job. The worker reads it across
-- integrations, hence group_id.
create table pending_failures (
  group_id       uuid not null,
  run_id         bigint not null,
  attempt        integer not null,
  job_id         bigint not null,
  noted_at       timestamptz not null default now(),
  -- A connection to the forge sees the repository. Without one the reason comes from the steps.
  waits_for_log  boolean not null,
  -- The job was cancelled. Its annotations tell whether it ran out of time.
  is_cancelled   boolean not null default false,
  due_at         timestamptz not null default now(),
  tries          integer not null default 0,
  primary key (group_id, run_id, attempt, job_id)
);
create index pending_failures_oldest on pending_failures (group_id, waits_for_log, noted_at);
create index pending_failures_due on pending_failures (group_id, due_at) where waits_for_log;
alter table pending_failures enable row level security;
create policy by_group on pending_failures for select to forgewatch_api
  using (group_id = (select scope_integration_id()));
create policy worker_reads on pending_failures to forgewatch_worker using (true) with check (true);

grant select, update on failure_groups to forgewatch_api;
grant select on failure_reasons, pending_failures to forgewatch_api;
grant select, insert, update, delete on failure_groups, failure_reasons, pending_failures
  to forgewatch_worker;

-- Completed attempts of runs whose conclusion may say less than their jobs: cancelled by a newer push, or out of time.
create table pending_conclusions (
  group_id  uuid not null,
  run_id    bigint not null,
  attempt   integer not null,
  noted_at  timestamptz not null default now(),
  primary key (group_id, run_id, attempt)
);
alter table pending_conclusions enable row level security;
create policy worker_reads on pending_conclusions to forgewatch_worker using (true) with check (true);
grant select, insert, update, delete on pending_conclusions to forgewatch_worker;

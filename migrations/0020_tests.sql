-- Results of tests that reports told.

-- The id is derived from repository, suite label, class and name. Written once a day for a test that only passes.
create table tests (
  integration_id     uuid not null,
  test_id            uuid not null,
  repository         text not null,
  repository_key     bigint not null,
  suite              text not null,
  -- Its place among the tests of its suite: in the passed tests of a report, and in the counts of a day.
  ordinal            integer not null,
  class_name         text not null,
  name               text not null,
  file               text,
  first_seen_at      timestamptz not null,
  last_seen_at       timestamptz not null,
  last_failed_at     timestamptz,
  first_on_main_at   timestamptz,
  -- What follows from its failures and the reports, see server/test-results/verdicts/verdict.ts. Null: it is neither flaky nor broken.
  last_flaky_at      timestamptz,
  -- The first flake of the period that the newest one belongs to. Such a period ends after 14 days without a flake.
  flaky_since        timestamptz,
  -- On the default branch: the first failure without a later pass in the same job.
  broken_since       timestamptz,
  -- It became significantly slower on the default branch: when that was found, and the medians of its days before and after.
  slow_since         timestamptz,
  slow_from_ms       integer,
  slow_ms            integer,
  primary key (integration_id, test_id)
) with (fillfactor = 80);
call protect_by_integration('tests');
create index tests_failed on tests (integration_id, last_failed_at desc, test_id) where last_failed_at is not null;
create index tests_flaky on tests (integration_id, last_flaky_at desc, test_id) where last_flaky_at is not null;
create index tests_seen on tests (integration_id, last_seen_at);
create unique index tests_of_suite on tests (integration_id, repository_key, suite, ordinal);
create index tests_slow on tests (integration_id) where slow_since is not null;
create index tests_broken on tests (integration_id, repository_key, suite) where broken_since is not null;

-- Failures of a test on a day (UTC). A test that only passed has no row.
create table test_days (
  integration_id   uuid not null,
  test_id          uuid not null,
  day              date not null,
  on_main          boolean not null,
  -- Failed results, and passes that needed a retry.
  failures         integer not null,
  -- Of the failures, those that passed on the same commit.
  flakes           integer not null,
  -- Of tries that failed before a pass: of the test itself, and its share of the failed job if a re-run passed.
  lost_ms          bigint not null,
  primary key (integration_id, test_id, day, on_main)
) with (fillfactor = 80);
call protect_by_integration('test_days');
create index test_days_by_age on test_days (integration_id, day);

-- Passes with their time, and skips, of 256 tests of a suite on a day (UTC): those whose ordinal divided by 256 is `block`. One row for many tests,
-- because a report of a suite changes all of them.
create table test_day_blocks (
  integration_id   uuid not null,
  repository_key   bigint not null,
  suite            text not null,
  block            integer not null,
  day              date not null,
  on_main          boolean not null,
  -- An element for each test, by its ordinal.
  passes           integer[] not null,
  -- Empty if none of them was skipped.
  skips            integer[] not null,
  -- Of passes.
  duration_ms      bigint[] not null,
  primary key (integration_id, repository_key, suite, block, day, on_main)
) with (fillfactor = 70);
call protect_by_integration('test_day_blocks');
create index test_day_blocks_by_age on test_day_blocks (integration_id, day);

create table test_reports (
  integration_id   uuid not null,
  report_id        uuid not null default gen_random_uuid(),
  -- Of its bytes and of what it is about, so that a report that is sent twice is stored once.
  hash             bytea not null,
  run_id           bigint not null,
  attempt          integer not null,
  -- The name of a job. The results of its suite under this name are compared with each other.
  job              text not null,
  job_id           bigint,
  suite            text not null,
  repository_key   bigint,
  head_sha         text collate "C",
  head_branch      text,
  on_main          boolean,
  format           text not null,
  tests            integer not null,
  failures         integer not null,
  skips            integer not null,
  flakes           integer not null,
  duration_ms      bigint not null,
  faults           text[] not null,
  -- More than half of at least 20 tests of its attempt failed, or of its suite there: the reports say nothing about single tests.
  is_mass_failure  boolean not null,
  received_at      timestamptz not null default now(),
  -- The time that its results count for.
  at               timestamptz,
  -- The results of a report whose run is not known yet, encrypted. Null as soon as they are stored.
  sealed_results   bytea,
  -- The bit at the ordinal of each test that passed. It is not compressed, because single bits are read.
  passed           bytea storage external,
  -- It was read from an artifact. Otherwise somebody uploaded it.
  of_artifact      boolean not null default false,
  primary key (integration_id, report_id),
  unique (integration_id, hash)
);
call protect_by_integration('test_reports');
create index test_reports_of_run on test_reports (integration_id, run_id, attempt);
create index test_reports_of_suite on test_reports (integration_id, repository_key, suite, at) where on_main;
create index test_reports_of_job on test_reports (integration_id, repository_key, suite, job, at desc) where on_main and not is_mass_failure;
create index test_reports_by_commit on test_reports (integration_id, head_sha);
create index test_reports_waiting on test_reports (integration_id, received_at) where sealed_results is not null;
-- The worker finds waiting reports across integrations.
create policy worker_reads on test_reports for select to forgewatch_worker using (sealed_results is not null);
create index test_reports_by_age on test_reports (integration_id, received_at);

-- Attempts that completed, whose artifacts may hold reports. Each is looked at once.
create table artifact_checks (
  integration_id   uuid not null,
  run_id           bigint not null,
  attempt          integer not null,
  repository       text not null,
  noted_at         timestamptz not null default now(),
  -- Null when the attempt was looked at.
  due_at           timestamptz default now(),
  tries            integer not null default 0,
  -- Artifacts that were read or refused.
  read_ids         bigint[] not null default '{}',
  -- Digests of the results in artifacts that were read, until the attempt was looked at.
  known_results    bytea not null default '',
  -- Why something was not read: a code, and the name of the artifact.
  problems         text[] not null default '{}',
  primary key (integration_id, run_id, attempt)
);
call protect_by_integration('artifact_checks');
create index artifact_checks_due on artifact_checks (integration_id, due_at) where due_at is not null;
create index artifact_checks_by_age on artifact_checks (integration_id, noted_at);

-- Failures, and passes that needed a retry.
create table test_failures (
  integration_id   uuid not null,
  test_id          uuid not null,
  report_id        uuid not null,
  run_id           bigint not null,
  attempt          integer not null,
  job_id           bigint,
  branch           text,
  head_sha         text collate "C",
  -- As in the report.
  job              text not null,
  on_main          boolean not null,
  -- The test passed after a retry that the report names.
  passed           boolean not null,
  -- The test passed on the same commit in the same job, in a retry or in another attempt or run.
  is_flaky         boolean not null,
  -- False for a part of a mass failure, which says nothing about the test.
  counts           boolean not null,
  -- On the default branch: its result before, in the same job, was a pass.
  follows_pass     boolean not null default false,
  -- One of three such failures within 14 days, so it is a flake, too.
  is_flip          boolean not null default false,
  -- What the failure of the job cost, if the test passed in a re-run.
  lost_ms          bigint not null default 0,
  -- How often the report says that it was tried again.
  retries          integer not null,
  message_key      bigint not null,
  sealed_text      bytea,
  duration_ms      integer,
  at               timestamptz not null,
  primary key (integration_id, test_id, report_id)
);
call protect_by_integration('test_failures');
create index test_failures_newest on test_failures (integration_id, test_id, at desc);
create index test_failures_of_run on test_failures (integration_id, run_id, attempt, test_id);
create index test_failures_flakes on test_failures (integration_id, test_id, at) where counts and (is_flaky or is_flip);
create index test_failures_of_job on test_failures (integration_id, test_id, job, at desc) where on_main and counts and not passed;
create index test_failures_after_pass on test_failures (integration_id, test_id, job, at) where follows_pass;
create index test_failures_by_commit on test_failures (integration_id, head_sha);
create index test_failures_by_age on test_failures (integration_id, at);

-- Whether a bit is set. Bits beyond the end are not.
create function has_bit(bits bytea, place integer) returns boolean language sql immutable parallel safe
  return case when place < octet_length(bits) * 8 then get_bit(bits, place) = 1 else false end;

-- Flaky tests whose failures count for nothing until a time. Rows of the past are deleted; the event log keeps their history.
create table test_quarantines (
  integration_id   uuid not null,
  test_id          uuid not null,
  reason           text not null,
  -- The member who takes care of it. Null when they left.
  owner_id         uuid,
  since            timestamptz not null default now(),
  until            timestamptz not null,
  primary key (integration_id, test_id),
  foreign key (integration_id, test_id) references tests on delete cascade,
  foreign key (integration_id, owner_id) references memberships on delete set null (owner_id)
);
call protect_by_integration('test_quarantines');
create index test_quarantines_by_owner on test_quarantines (integration_id, owner_id) where owner_id is not null;
create index test_quarantines_by_end on test_quarantines (until);
-- The worker ends quarantines across integrations.
create policy worker_reads on test_quarantines for select to forgewatch_worker using (until <= now());

grant select, insert, update on tests, test_days, test_day_blocks, test_reports, test_failures to forgewatch_api;
grant select, insert, update, delete on tests, test_days, test_day_blocks, test_reports, test_failures, artifact_checks
  to forgewatch_worker;
grant select, insert, update, delete on test_quarantines to forgewatch_api;
grant select, delete on test_quarantines to forgewatch_worker;
revoke execute on all routines in schema public from public;
grant execute on function has_bit(bytea, integer) to forgewatch_api, forgewatch_worker;

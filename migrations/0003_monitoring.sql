-- Runs, jobs, pull requests and reviews. An object's events arrive in any order and before those of its parent, so there are no
-- foreign keys between these tables. `version` orders the events of one object, see server/runs/staleness.ts. Rows are updated a
-- few times in their first minutes. Free space on each page and indexes on columns that do not change make these updates
-- heap-only.

-- A run with its newest attempt.
create table workflow_runs (
  integration_id     uuid not null,
  run_id             bigint not null,
  attempt            integer not null,
  version            bytea not null,
  repository         text not null,
  status             text not null,
  conclusion         text,
  completed_at       timestamptz,
  on_default_branch  boolean not null,
  workflow_name      text,
  started_at         timestamptz,
  triggering_actor   text,
  older_facts        json,
  updated_at         timestamptz,
  run_number         bigint,
  workflow_id        bigint,
  workflow_path      text,
  event              text,
  title              text,
  commit_message     text,
  head_branch        text,
  head_sha           text,
  head_repository    text,
  actor              text,
  actor_avatar_url   text,
  url                text,
  created_at         timestamptz not null,
  pull_requests      bigint[] not null,
  primary key (integration_id, run_id)
) with (fillfactor = 80);
call protect_by_integration('workflow_runs');
create index workflow_runs_newest on workflow_runs (integration_id, created_at desc, run_id desc);

-- Earlier attempts of a run. The newest attempt is part of the run's row, and most runs have only one.
create table workflow_run_attempts (
  integration_id     uuid not null,
  run_id             bigint not null,
  attempt            integer not null,
  version            bytea not null,
  repository         text not null,
  status             text not null,
  conclusion         text,
  completed_at       timestamptz,
  on_default_branch  boolean not null,
  workflow_name      text,
  started_at         timestamptz,
  triggering_actor   text,
  older_facts        json,
  primary key (integration_id, run_id, attempt)
);
call protect_by_integration('workflow_run_attempts');

create table workflow_jobs (
  integration_id     uuid not null,
  run_id             bigint not null,
  attempt            integer not null,
  job_id             bigint not null,
  version            bytea not null,
  repository         text not null,
  name               text not null,
  status             text not null,
  conclusion         text,
  completed_at       timestamptz,
  on_default_branch  boolean not null,
  workflow_name      text,
  head_branch        text,
  head_sha           text,
  runner_name        text,
  runner_group       text,
  url                text,
  started_at         timestamptz,
  created_at         timestamptz,
  labels             text[] not null,
  -- [[number, name, status, conclusion, started, completed], ...]: json, because it is read and written as a whole.
  -- Without field names most rows stay under the 2 kB at which Postgres compresses them.
  steps              json not null,
  older_facts        json,
  primary key (integration_id, run_id, attempt, job_id)
) with (fillfactor = 75);
call protect_by_integration('workflow_jobs');

create table pull_requests (
  integration_id  uuid not null,
  repository      text not null,
  number          bigint not null,
  version         bytea not null,
  title           text,
  state           text,
  draft           boolean not null,
  merged          boolean not null,
  author          text,
  labels          text[] not null,
  head_branch     text,
  head_sha        text,
  base_branch     text,
  url             text,
  created_at      timestamptz,
  updated_at      timestamptz,
  closed_at       timestamptz,
  merged_at       timestamptz,
  primary key (integration_id, repository, number)
) with (fillfactor = 85);
call protect_by_integration('pull_requests');
-- Runs from forks name no pull request and are matched by their head commit.
create index pull_requests_by_head on pull_requests (integration_id, head_sha);

create table reviews (
  integration_id       uuid not null,
  review_id            bigint not null,
  version              bytea not null,
  repository           text not null,
  pull_request_number  bigint not null,
  state                text,
  author               text,
  body                 text,
  commit_sha           text,
  url                  text,
  submitted_at         timestamptz,
  updated_at           timestamptz,
  primary key (integration_id, review_id)
) with (fillfactor = 90);
call protect_by_integration('reviews');

-- Numbers of completed runs and jobs by the hour of completion, written in the transaction of their rows. A completed attempt
-- counts in a row of kind run, a completed job in a row of kind job and in one of kind runner. A single table, so that a batch
-- writes all rows in one statement. `series` is a hash of the names, which together may exceed the 2,704 bytes of an index
-- entry. `runner` contains the labels of a job, or the name of a runner. Histograms are arrays over the buckets of
-- server/rollups/histogram-buckets.ts, from the first bucket in use to the last. Null in an array counts as 0.
create table rollups (
  integration_id     uuid not null,
  kind               text not null check (kind in ('run', 'job', 'runner')),
  hour               timestamptz not null,
  series             bytea not null,
  repository         text,
  workflow           text,
  job                text,
  runner             text,
  on_default_branch  boolean,
  conclusion         text,
  count              bigint not null,
  reruns             bigint not null,
  billable_minutes   bigint not null,
  duration_ms        bigint not null,
  queue_ms           bigint not null,
  durations          integer[] not null,
  queue_times        integer[] not null,
  primary key (integration_id, kind, hour, series)
) with (fillfactor = 70);
call protect_by_integration('rollups');

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

grant select, insert, update on
  workflow_runs, workflow_run_attempts, workflow_jobs, pull_requests, reviews, rollups
  to forgewatch_worker;
grant select on
  workflow_runs, workflow_run_attempts, workflow_jobs, pull_requests, reviews, rollups
  to forgewatch_api;

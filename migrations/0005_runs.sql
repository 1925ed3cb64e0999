-- Runs, jobs, pull requests, reviews and deployments. An object's events arrive in any order and before those of its parent, so there are no
-- foreign keys between these tables. `version` orders the events of one object, see server/runs/staleness.ts. Rows are updated
-- a few times in their first minutes. Free space on each page and indexes on columns that do not change make these updates
-- heap-only.

-- Repositories and workflows are what the ids of the forge say, because names change and repeat. `repository` and `workflow` stand
-- for them in every table: the first name that was seen, with an addition when it was taken. `full_name` and `name` are the newest
-- names. `shown_name` is the one for display: the newest, with an addition while another one has it too. Filters and rules also take the
-- earlier names.
create table repositories (
  integration_id  uuid not null,
  repository      text not null,
  forge_id        bigint,
  host            text,
  -- Of the forge among those of the integration, see server/runs/objects/forge-ids.ts.
  forge_place     smallint not null,
  full_name       text not null,
  shown_name      text not null,
  earlier_names   text[] not null,
  default_branch  text,
  named_at        timestamptz not null,
  primary key (integration_id, repository)
);
call protect_by_integration('repositories');
create index repositories_by_forge_id on repositories (integration_id, forge_id);
create index repositories_by_name on repositories (integration_id, full_name);
create index repositories_by_host on repositories (integration_id, host) where host is not null;
create index repositories_by_place on repositories (integration_id, forge_place) where host is not null;
-- Renamed ones are few.
create index repositories_renamed on repositories (integration_id) where shown_name <> repository;

create table workflows (
  integration_id  uuid not null,
  repository      text not null,
  workflow        text not null,
  -- The id at the forge, the name of the file, or its path.
  ref             text not null,
  name            text not null,
  shown_name      text not null,
  earlier_names   text[] not null,
  path            text,
  named_at        timestamptz not null,
  primary key (integration_id, repository, workflow)
);
call protect_by_integration('workflows');
create index workflows_by_ref on workflows (integration_id, repository, ref);
create index workflows_renamed on workflows (integration_id) where shown_name <> workflow;

-- Workflows whose state is of no interest any more. An admin hides them and shows them again.
create table hidden_workflows (
  integration_id      uuid not null references integrations on delete cascade,
  hidden_workflow_id  uuid not null default gen_random_uuid(),
  repository          text not null,
  -- Empty for runs without the name of a workflow.
  workflow            text not null,
  hidden_at           timestamptz not null default now(),
  hidden_by           uuid references users on delete set null,
  primary key (integration_id, hidden_workflow_id),
  unique (integration_id, repository, workflow)
);
call protect_by_integration('hidden_workflows');
create index hidden_workflows_by_person on hidden_workflows (hidden_by);

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
  superseded_by      bigint,
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
  -- In the order of bytes, so that an index finds the first characters of a SHA.
  head_sha           text collate "C",
  head_repository    text,
  actor              text,
  actor_avatar_url   text,
  url                text,
  created_at         timestamptz not null,
  pull_requests      bigint[] not null,
  -- The line that represents the failure; no event contains it.
  error_line         text,
  -- The attempt after which the product asked the forge for another one. No event contains it, and storing events leaves it as it is.
  rerun_asked_after  integer,
  -- Hashes, because the names together may exceed the size of an index entry. Columns instead of expressions in the index,
  -- because with row-level security an index scan uses only leakproof conditions, and only a superuser can declare a
  -- function leakproof.
  workflow_key       bigint generated always as (hashtextextended(coalesce(workflow_name, ''), hashtextextended(repository, 0))) stored,
  branch_key         bigint generated always as (hashtextextended(head_branch, 0)) stored,
  repository_key     bigint generated always as (hashtextextended(repository, 0)) stored,
  first_pull_request bigint generated always as (pull_requests[1]) stored,
  -- Forges compare logins without case.
  actor_key          bigint generated always as (hashtextextended(lower(actor collate "C"), 0)) stored,
  primary key (integration_id, run_id)
) with (fillfactor = 80);
call protect_by_integration('workflow_runs');
create index workflow_runs_newest on workflow_runs (integration_id, created_at desc, run_id desc);
create index workflow_runs_by_workflow on workflow_runs (integration_id, workflow_key, created_at desc, run_id desc);
create index workflow_runs_default_branch on workflow_runs (integration_id, workflow_key, created_at desc, run_id desc)
  where on_default_branch;
create index workflow_runs_by_branch on workflow_runs (integration_id, branch_key, created_at desc, run_id desc);
create index workflow_runs_by_commit on workflow_runs (integration_id, head_sha);
-- Runs of forks name no pull request, and their branch often has the name of the default branch.
create index workflow_runs_of_forks on workflow_runs (integration_id, branch_key, created_at desc, run_id desc)
  where head_repository is distinct from repository;
create index workflow_runs_by_repository on workflow_runs (integration_id, repository_key, created_at desc, run_id desc);
create index workflow_runs_by_number on workflow_runs (integration_id, run_number, created_at desc, run_id desc);
-- Change when a later event names another pull request, which is rare.
create index workflow_runs_by_pull_request on workflow_runs (integration_id, first_pull_request, created_at desc, run_id desc)
  where first_pull_request is not null;
create index workflow_runs_of_several on workflow_runs (integration_id, created_at desc, run_id desc)
  where pull_requests[2] is not null;
-- Lists behind the figures of dashboards, which count runs by completion. Changes once with each attempt.
create index workflow_runs_completed on workflow_runs (integration_id, completed_at desc, run_id desc) where completed_at is not null;
-- The failed runs of a person.
create index workflow_runs_failed_by_actor on workflow_runs (integration_id, actor_key, created_at desc, run_id desc)
  where conclusion in ('failure', 'timed_out', 'startup_failure');
-- How long default branches are red, and minutes that were lost: failures are few, and each is looked up with what is beside it.
create index workflow_runs_red on workflow_runs (integration_id, on_default_branch, completed_at desc)
  where conclusion in ('failure', 'timed_out', 'startup_failure', 'action_required');
create index workflow_runs_superseded on workflow_runs (integration_id, completed_at desc) where superseded_by is not null;
-- Changes once in the life of a run. All other indexed columns never change.
create index workflow_runs_open on workflow_runs (integration_id, created_at) where completed_at is null;

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
  superseded_by      bigint,
  workflow_name      text,
  started_at         timestamptz,
  triggering_actor   text,
  older_facts        json,
  primary key (integration_id, run_id, attempt)
);
call protect_by_integration('workflow_run_attempts');
create index workflow_run_attempts_red on workflow_run_attempts (integration_id, on_default_branch, completed_at desc)
  where conclusion in ('failure', 'timed_out', 'startup_failure', 'action_required');

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
  -- Of the forge, and not of the whole forge: repositories of different owners have runners with the same id.
  runner_id          bigint,
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
-- Lists behind the figures of dashboards. Changes once in the life of a job.
create index workflow_jobs_completed on workflow_jobs (integration_id, completed_at desc, job_id desc) where completed_at is not null;
-- Jobs that wait or run. Changes once in the life of a job.
create index workflow_jobs_open on workflow_jobs (integration_id, created_at desc) where completed_at is null;
-- Re-runs are few, and each flaky job has one.
create index workflow_jobs_rerun on workflow_jobs (integration_id, completed_at desc, job_id desc)
  where attempt > 1 and completed_at is not null;

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
  head_sha        text collate "C",
  -- Null when the fork was deleted before anything was known about it.
  head_repository text,
  base_branch     text,
  url             text,
  created_at      timestamptz,
  updated_at      timestamptz,
  closed_at       timestamptz,
  merged_at       timestamptz,
  -- Null until it is merged.
  merge_sha       text collate "C",
  older_facts     json,
  head_key        bigint generated always as (hashtextextended(head_branch, 0)) stored,
  -- Forges compare logins without case.
  author_key      bigint generated always as (hashtextextended(lower(author collate "C"), 0)) stored,
  opened_at       timestamptz generated always as (coalesce(created_at, to_timestamp(0))) stored,
  primary key (integration_id, repository, number)
) with (fillfactor = 85);
call protect_by_integration('pull_requests');
-- Runs from forks name no pull request and are matched by their head commit.
create index pull_requests_by_head on pull_requests (integration_id, head_sha);
-- A column for the index, see workflow_runs.branch_key.
create index pull_requests_by_branch on pull_requests (integration_id, head_key);
create index pull_requests_by_number on pull_requests (integration_id, number);
create index pull_requests_merged on pull_requests (integration_id, merged_at) include (created_at) where merged_at is not null;
-- Which pull requests a deployment contains.
create index pull_requests_by_merge on pull_requests (integration_id, merge_sha) where merge_sha is not null;
create index pull_requests_newest on pull_requests (integration_id, opened_at desc, number desc);
-- Changes once in the life of a pull request.
create index pull_requests_open_by_author on pull_requests (integration_id, author_key, opened_at desc) where state = 'open';

create index pull_requests_by_age on pull_requests (integration_id, updated_at);

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
create index reviews_by_age on reviews (integration_id, submitted_at);
create index reviews_of_pull_request on reviews (integration_id, pull_request_number);

-- Deployments with their newest status. That a newer one took the place of a deployment (`inactive`) does not change it.
create table deployments (
  integration_id  uuid not null,
  deployment_id   bigint not null,
  version         bytea not null,
  repository      text not null,
  environment     text,
  -- What the forge says. Null when it does not.
  is_production   boolean,
  sha             text collate "C",
  ref             text,
  creator         text,
  state           text,
  -- Of the status.
  updated_at      timestamptz not null,
  url             text,
  run_id          bigint,
  attempt         integer,
  primary key (integration_id, deployment_id)
) with (fillfactor = 85);
call protect_by_integration('deployments');
create index deployments_by_time on deployments (integration_id, updated_at desc);

-- Named filters of the list of runs. They are deleted with the membership, and a user who joins again has none.
create table saved_views (
  integration_id  uuid not null,
  view_id         uuid not null default gen_random_uuid(),
  user_id         uuid not null,
  name            text not null,
  -- A query of the list of runs (contract/runs/runs.ts), always read as a whole.
  filter          json not null,
  created_at      timestamptz not null default now(),
  primary key (integration_id, view_id),
  foreign key (integration_id, user_id) references memberships on delete cascade
);
call protect_by_integration('saved_views');
create index saved_views_by_person on saved_views (integration_id, user_id);

grant select on workflow_runs, workflow_run_attempts, workflow_jobs, pull_requests, reviews, deployments to forgewatch_api;
grant update (rerun_asked_after) on workflow_runs to forgewatch_api;
grant select, insert, update, delete on saved_views to forgewatch_api;
grant select, insert, delete on hidden_workflows to forgewatch_api;
grant select on hidden_workflows to forgewatch_worker;
grant select on repositories, workflows to forgewatch_api;
-- Sample data can be removed.
grant delete on repositories, workflows to forgewatch_worker;
grant select, insert, update on repositories, workflows, workflow_runs, workflow_run_attempts, workflow_jobs, pull_requests, reviews,
  deployments to forgewatch_worker;
-- Runs, pull requests, reviews and deployments older than RUN_RETENTION_DAYS are deleted. The numbers of runs stay in the rollups.
grant delete on workflow_runs, workflow_run_attempts, workflow_jobs, pull_requests, reviews, deployments to forgewatch_worker;

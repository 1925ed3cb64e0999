-- What counts as a deployment to production. Nothing does until an admin says so.
create table deployment_sources (
  integration_id  uuid not null references integrations on delete cascade,
  source_id       uuid not null default gen_random_uuid(),
  -- Either an environment of all repositories,
  environment     text check (char_length(environment) between 1 and 255),
  -- or the runs of a workflow on the default branch, or one of their jobs.
  repository      text,
  workflow        text,
  job             text check (char_length(job) between 1 and 255),
  set_at          timestamptz not null default now(),
  set_by          uuid references users on delete set null,
  primary key (integration_id, source_id),
  unique nulls not distinct (integration_id, environment, repository, workflow, job),
  check (num_nonnulls(repository, workflow) = case when environment is null then 2 else 0 end),
  check (environment is null or job is null)
);
call protect_by_integration('deployment_sources');
create index deployment_sources_by_person on deployment_sources (set_by);

-- What people say about deployments, against the rules or where these do not tell.
create table deployment_marks (
  integration_id  uuid not null references integrations on delete cascade,
  -- As in answers: deployment-12, run-12-1 or job-12-345.
  deployment_key  text not null,
  has_failed      boolean not null,
  marked_at       timestamptz not null default now(),
  -- A person or a token.
  marked_by       uuid,
  primary key (integration_id, deployment_key)
);
call protect_by_integration('deployment_marks');

grant select, insert, update, delete on deployment_sources, deployment_marks to forgewatch_api;
-- Marks are deleted with the deployments that they are about.
grant select, delete on deployment_marks to forgewatch_worker;

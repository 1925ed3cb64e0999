-- The checks that must pass before a merge into a branch, as the forge named them last.
create table required_checks (
  integration_id  uuid not null,
  repository      text not null,
  branch          text not null,
  requested_at    timestamptz not null default now(),
  read_at         timestamptz,
  -- Null when the forge refuses to name them.
  checks          text[],
  -- Patterns of `workflow / job (event)` instead of names of jobs.
  are_patterns    boolean not null default false,
  primary key (integration_id, repository, branch)
);
call protect_by_integration('required_checks');
create index required_checks_by_age on required_checks (integration_id, requested_at);

grant select on required_checks to forgewatch_api;
grant select, insert, update, delete on required_checks to forgewatch_worker;

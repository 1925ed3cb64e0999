-- Public images of the state of a workflow, one for each workflow and branch that an admin has made public.
create table badges (
  integration_id  uuid not null references integrations on delete cascade,
  -- 128 random bits. Who knows it sees the badge.
  badge_id        text not null check (badge_id ~ '^[A-Za-z0-9_-]{22}$'),
  -- Finds the row before its integration is known.
  id_hash         bytea not null generated always as (sha256(badge_id::bytea)) stored unique,
  repository      text not null,
  workflow_name   text not null,
  -- Null: the default branch.
  branch          text,
  created_by      uuid references users on delete set null,
  created_at      timestamptz not null default now(),
  primary key (integration_id, badge_id),
  unique nulls not distinct (integration_id, repository, workflow_name, branch)
);
call protect_by_integration('badges');
create policy by_secret on badges for select using (id_hash = (select scope_secret_hash()));
create index badges_by_creator on badges (created_by);

grant select, insert, delete on badges to forgewatch_api;

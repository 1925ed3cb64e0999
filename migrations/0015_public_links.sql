-- What people see without an account: badges and links to the wallboard.

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

-- Links that show the wallboard of an integration without an account.
create table share_links (
  integration_id  uuid not null references integrations on delete cascade,
  link_id         uuid not null default gen_random_uuid(),
  -- SHA-256 of the secret, which has 256 random bits. Nobody can use a row.
  secret_hash     bytea not null unique check (octet_length(secret_hash) = 32),
  name            text not null check (char_length(name) between 1 and 100),
  -- What the link shows (contract/integrations/wallboard.ts), always read as a whole.
  filter          json not null,
  created_by      uuid references users on delete set null,
  created_at      timestamptz not null default now(),
  primary key (integration_id, link_id)
);
call protect_by_integration('share_links');
create policy by_secret on share_links for select using (secret_hash = (select scope_secret_hash()));
create index share_links_by_creator on share_links (created_by);

grant select, insert, delete on badges, share_links to forgewatch_api;

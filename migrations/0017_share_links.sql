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

grant select, insert, delete on share_links to forgewatch_api;

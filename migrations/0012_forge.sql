-- Installations of the forge's application, the members of their organizations, and access tokens of forges.

-- Installations belong to no integration: the forge reports them before anybody links one, and one may be linked to
-- several integrations. Hence no policy; they contain nothing of an integration.
create table forge_installations (
  installation_id   bigint primary key,
  account_id        bigint not null,
  account_login     text not null,
  account_type      text not null,
  is_suspended      boolean not null default false,
  is_deleted        boolean not null default false,
  -- When the newest event about it was delivered; older ones change nothing.
  as_of             timestamptz not null,
  -- The full sync of its members: due while it is linked, page by page, by one process at a time.
  sync_due_at       timestamptz,
  sync_leased_until timestamptz,
  sync_started_at   timestamptz,
  sync_next_page    int,
  sync_finished_at  timestamptz,
  sync_failures     int not null default 0,
  sync_error        text
);
create index forge_installations_due on forge_installations (sync_due_at) where sync_due_at is not null;

-- Members of the organization of an installation. A member who left keeps a row, so that an older addition changes nothing.
create table organization_members (
  installation_id  bigint not null references forge_installations on delete cascade,
  forge_id         bigint not null,
  login            text not null,
  is_member        boolean not null,
  as_of            timestamptz not null,
  primary key (installation_id, forge_id)
);

create table installation_links (
  integration_id   uuid not null references integrations on delete cascade,
  installation_id  bigint not null references forge_installations on delete cascade,
  linked_by        uuid references users on delete set null,
  linked_at        timestamptz not null default now(),
  primary key (integration_id, installation_id)
);
call protect_by_integration('installation_links');
create index installation_links_by_installation on installation_links (installation_id);
-- Events of an installation concern every integration that has linked it.
create policy of_installation on installation_links for select
  using (installation_id = (select scope_installation_id()));

-- The access token of an integration for a forge: a connection beside those of the application. Its tasks and repositories
-- have no installation_id. It outlives its integration for a day, to remove its webhooks.
create table forge_connections (
  integration_id     uuid primary key,
  forge              text not null check (forge in ('github', 'gitea', 'forgejo')),
  url                text not null,
  sealed_token       bytea not null,
  account_login      text not null,
  permissions        text[] not null,
  expires_at         timestamptz,
  -- The expiry that the event log has warned about.
  warned_expires_at  timestamptz,
  saved_at           timestamptz not null default now(),
  -- The token is kept until its webhooks are removed.
  is_removed         boolean not null default false
);
call protect_by_integration('forge_connections');

-- What a connection may still ask of its forge, and until when its one background call is in flight, in any process.
-- `connection` is an installation or the integration of a token. Nothing else of an integration, hence no policy.
create table forge_budgets (
  connection     text primary key,
  call_until     timestamptz,
  limit_total    int,
  remaining      int,
  resets_at      timestamptz,
  blocked_until  timestamptz
);

-- The repositories that a linked installation may see, or that somebody chose for the access token.
create table linked_repositories (
  integration_id     uuid not null,
  installation_id    bigint,
  repository         text not null,
  default_branch     text,
  -- False when its webhook must be removed because somebody no longer chooses it.
  is_chosen          boolean not null default true,
  webhook_id         bigint,
  -- Digest of the URL, events and secret of the webhook.
  webhook_applied    bytea,
  webhook_tried_at   timestamptz,
  webhook_error      text,
  history_next_page  int,
  history_runs       int not null default 0,
  -- Why the forge refuses to list the runs of the repository. Other repositories go on.
  history_error      text,
  unique nulls not distinct (integration_id, installation_id, repository)
);
call protect_by_integration('linked_repositories');

-- How often and when an unfinished run is requested from the forge.
create table run_checks (
  integration_id  uuid not null,
  run_id          bigint not null,
  times           int not null,
  next_at         timestamptz not null,
  primary key (integration_id, run_id)
);
call protect_by_integration('run_checks');

-- Wakes the processes that sync members. A trigger, because several statements make a sync due.
create trigger forge_installations_announced after insert or update of sync_due_at on forge_installations
  for each row when (new.sync_due_at <= now()) execute function announce('member_sync_due');

revoke execute on all routines in schema public from public;
grant select, insert, update on forge_installations to forgewatch_api, forgewatch_worker;
grant select on organization_members, linked_repositories to forgewatch_api;
grant select, insert, delete on installation_links to forgewatch_api;
grant select, insert, update, delete on forge_connections, forge_budgets to forgewatch_api;
grant insert, update, delete on linked_repositories to forgewatch_api;
grant select, delete on installation_links to forgewatch_worker;
grant select, update, delete on forge_connections to forgewatch_worker;
grant select, insert, update, delete on organization_members, forge_budgets, linked_repositories, run_checks
  to forgewatch_worker;

-- The roles of the service. They own nothing and cannot bypass row-level security.
do $$
begin
  if not exists (select from pg_roles where rolname = 'forgewatch_api') then
    create role forgewatch_api nologin nosuperuser nocreatedb nocreaterole noinherit nobypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'forgewatch_worker') then
    create role forgewatch_worker nologin nosuperuser nocreatedb nocreaterole noinherit nobypassrls;
  end if;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to forgewatch_api, forgewatch_worker', current_database());
end
$$;

revoke all on schema public from public;
grant usage on schema public to forgewatch_api, forgewatch_worker;

-- The scope of a transaction. After its first local set, a pooled connection returns '' instead of null, hence nullif.
-- Policies call these inside (select ...), so that they are evaluated once per statement and not once per row.
create function scope_integration_id() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.integration_id', true), '')::uuid;

create function scope_integration_ids() returns uuid[] language sql stable parallel safe
  return nullif(current_setting('app.integration_ids', true), '')::uuid[];

create function scope_user_id() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.user_id', true), '')::uuid;

-- Every table with an integration_id calls this once: enabled, forced, one policy for reading and writing.
create procedure protect_by_integration(protected_table regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected_table);
  execute format('alter table %s force row level security', protected_table);
  execute format(
    'create policy by_integration on %s
       using (integration_id = (select scope_integration_id()) or integration_id = any ((select scope_integration_ids())::uuid[]))
       with check (integration_id = (select scope_integration_id()) or integration_id = any ((select scope_integration_ids())::uuid[]))',
    protected_table);
end
$$;

create table users (
  user_id      uuid primary key default gen_random_uuid(),
  cognito_id   text not null unique,
  email        text,
  name         text,
  picture      text,
  forge_login  text,
  forge_id     bigint unique,
  created_at   timestamptz not null default now()
);

create table integrations (
  integration_id               uuid primary key default gen_random_uuid(),
  label                        text not null check (char_length(label) between 1 and 100),
  webhook_secret               bytea not null,
  previous_webhook_secret      bytea,
  previous_secret_valid_until  timestamptz,
  last_secret_used             text check (last_secret_used in ('current', 'previous')),
  webhook_events               text[] not null default '{workflow_run,workflow_job,pull_request,pull_request_review}',
  created_at                   timestamptz not null default now()
);
call protect_by_integration('integrations');

create type member_role as enum ('viewer', 'member', 'admin', 'owner');
create type member_source as enum ('manual', 'invitation', 'org_sync');

create table memberships (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  role            member_role not null,
  source          member_source not null default 'manual',
  created_at      timestamptz not null default now(),
  primary key (integration_id, user_id)
);
call protect_by_integration('memberships');
-- A person may always list where they belong: that is how the caller's integrations are found.
create policy own_rows on memberships for select using (user_id = (select scope_user_id()));
create unique index memberships_one_owner on memberships (integration_id) where role = 'owner';
create index memberships_by_user on memberships (user_id);

grant select, insert, update on users to forgewatch_api;
grant select, insert, update, delete on integrations, memberships to forgewatch_api;
grant select on users, integrations, memberships to forgewatch_worker;

-- Every process drops its copy of a secret at once when an integration's row changes (ingestion.md, ingress step 2).
create function announce_integration_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('integration_changed', coalesce(new.integration_id, old.integration_id)::text);
  return null;
end
$$;
create trigger integrations_changed
  after update of webhook_secret, previous_webhook_secret, previous_secret_valid_until, webhook_events or delete
  on integrations for each row execute function announce_integration_change();

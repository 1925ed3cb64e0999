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

-- The role of `forgewatch backup` reads every row and changes nothing. It cannot log in, and no role of the service can become
-- it. The owner becomes it with `set role` and does not inherit from it: functions that run as the owner see no more rows.
do $$
begin
  if not exists (select from pg_roles where rolname = 'forgewatch_backup') then
    create role forgewatch_backup nologin nosuperuser nocreatedb nocreaterole noinherit nobypassrls;
  end if;
  if current_setting('server_version_num')::int < 160000 then
    if not pg_has_role('forgewatch_backup', 'member') then
      grant forgewatch_backup to current_user;
    end if;
  elsif not pg_has_role('forgewatch_backup', 'set') then
    execute 'grant forgewatch_backup to current_user with inherit false, set true';
  end if;
exception when insufficient_privilege then
  -- Somebody else created the role. The service works without it, and `backup` says what to grant.
  if not exists (select from pg_roles where rolname = 'forgewatch_backup') then
    raise;
  end if;
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

-- The holder of a secret finds the row with its digest and no other.
create function scope_secret_hash() returns bytea language sql stable parallel safe
  return decode(nullif(current_setting('app.secret_hash', true), ''), 'hex');

-- A person finds invitations to the address that the identity provider has verified.
create function scope_verified_email() returns text language sql stable parallel safe
  return lower(nullif(current_setting('app.verified_email', true), ''));

create function scope_installation_id() returns bigint language sql stable parallel safe
  return nullif(current_setting('app.installation_id', true), '')::bigint;

-- Lets `forgewatch backup` read a table. The condition matters before Postgres 16, where the owner inherits.
create procedure let_backup_read(read_table regclass) language plpgsql as $$
begin
  execute format('create policy backup_reads on %s for select to forgewatch_backup
    using ((select current_user) = ''forgewatch_backup'')', read_table);
end
$$;

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
  call let_backup_read(protected_table);
end
$$;

create table users (
  user_id           uuid primary key default gen_random_uuid(),
  cognito_id        text not null,
  email             text,
  name              text,
  picture           text,
  forge_login       text,
  forge_id          bigint unique,
  created_at        timestamptz not null default now(),
  -- Issue time of the claims that the record comes from, in seconds since the epoch. Two sessions of one person may hold
  -- different tokens, and the older one must change nothing.
  claims_iat        bigint not null default 0,
  -- The claim that identifies the person: `username` if the provider sends it, else `sub`. It is part of the key, because
  -- one person's `sub` may equal another person's `username`.
  cognito_id_claim  text not null default 'username' check (cognito_id_claim in ('username', 'sub')),
  constraint users_cognito_key unique (cognito_id_claim, cognito_id)
);

create type member_role as enum ('viewer', 'member', 'admin', 'owner');

create table integrations (
  integration_id               uuid primary key default gen_random_uuid(),
  label                        text not null check (char_length(label) between 1 and 100),
  webhook_secret               bytea not null,
  previous_webhook_secret      bytea,
  previous_secret_valid_until  timestamptz,
  last_secret_used             text check (last_secret_used in ('current', 'previous')),
  webhook_events               text[] not null default '{workflow_run,workflow_job,pull_request,pull_request_review,deployment_status}',
  -- The lowest role that may read the logs of jobs.
  log_role                     member_role not null default 'viewer',
  -- Names of artifacts whose reports of tests are read, as patterns with `*` and `?`.
  artifact_patterns            text[] not null default '{*junit*,*test-result*}',
  created_at                   timestamptz not null default now()
);
call protect_by_integration('integrations');

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
-- Finds the integrations of a caller before the scope of one is known.
create policy own_rows on memberships for select using (user_id = (select scope_user_id()));
create unique index memberships_one_owner on memberships (integration_id) where role = 'owner';
create index memberships_by_user on memberships (user_id);
-- Members are listed in the order they joined.
create index memberships_by_age on memberships (integration_id, created_at, user_id);

-- The index above allows at most one owner. This trigger requires at least one, when the transaction ends, so that a
-- transaction can transfer ownership. A deleted integration needs none.
create function require_owner() returns trigger language plpgsql as $$
begin
  if exists (select from integrations where integration_id = old.integration_id)
    and not exists (select from memberships where integration_id = old.integration_id and role = 'owner') then
    raise exception 'integration % would be left without an owner', old.integration_id using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create constraint trigger memberships_keep_owner after update or delete on memberships
  deferrable initially deferred for each row when (old.role = 'owner') execute function require_owner();

-- API tokens of an integration. They have a role of their own and survive the person who created them. Personal tokens are in
-- 0009_sign_in.sql.
create table integration_tokens (
  integration_id     uuid not null references integrations on delete cascade,
  token_id           uuid not null default gen_random_uuid(),
  -- SHA-256 of the token, which has 178 random bits. Nobody can use a row.
  token_hash         bytea not null unique check (octet_length(token_hash) = 32),
  role               member_role not null check (role in ('viewer', 'member')),
  name               text not null check (char_length(name) between 1 and 100),
  scopes             text[] not null,
  created_by         uuid references users on delete set null,
  created_at         timestamptz not null default now(),
  expires_at         timestamptz not null,
  last_used_at       timestamptz,
  last_used_address  text,
  primary key (integration_id, token_id)
);
call protect_by_integration('integration_tokens');
create policy by_secret on integration_tokens for select using (token_hash = (select scope_secret_hash()));
-- Finds the integration of a token before its scope is known.
create policy own_row on integration_tokens for select using (token_id = (select scope_user_id()));
create index integration_tokens_by_id on integration_tokens (token_id);
create index integration_tokens_by_creator on integration_tokens (created_by);

-- Who may act in an integration with which role: its members and its own API tokens. The policies of both tables apply to the
-- reader.
create view actors with (security_invoker = true) as
  select integration_id, user_id as actor_id, role, created_at from memberships
  union all
  select integration_id, token_id, role, created_at from integration_tokens where expires_at > now();

-- Opens the scope of an integration for an actor, and none for anybody else. Requests of people and API tokens run in it, so
-- that row-level security denies what a missing check of the application would allow.
create function enter_integration(p_integration uuid, p_user uuid) returns void language plpgsql as $$
begin
  perform set_config('app.user_id', p_user::text, true);
  perform set_config('app.integration_id', coalesce(
    (select integration_id::text from actors where integration_id = p_integration and actor_id = p_user), ''), true);
  perform set_config('app.user_id', '', true);
end
$$;
create function enter_integrations(p_integrations uuid[], p_user uuid) returns void language plpgsql as $$
begin
  perform set_config('app.user_id', p_user::text, true);
  perform set_config('app.integration_ids', coalesce(
    (select array_agg(integration_id)::text from actors
     where integration_id = any (p_integrations) and actor_id = p_user), ''), true);
  perform set_config('app.user_id', '', true);
end
$$;

-- Lists the integrations for background tasks, which read the rows of each integration in its own scope.
create policy owner_lists on integrations for select to current_user using (true);
create function all_integration_ids() returns setof uuid language sql stable
security definer set search_path = public, pg_temp as $$
  select integration_id from integrations
$$;

-- Notifies the channel in the first argument of the trigger. The payload is the column in the second one, or empty.
create function announce() returns trigger language plpgsql as $$
begin
  perform pg_notify(tg_argv[0], coalesce(to_jsonb(case tg_op when 'DELETE' then old else new end) ->> tg_argv[1], ''));
  return null;
end
$$;

-- Every process drops its copy of a secret when an integration changes. A trigger, because a change by hand in the database
-- must end an old secret too.
create trigger integrations_changed
  after update of webhook_secret, previous_webhook_secret, previous_secret_valid_until, webhook_events or delete
  on integrations for each row execute function announce('integration_changed', 'integration_id');

revoke execute on all routines in schema public from public;
grant execute on function scope_integration_id(), scope_integration_ids(), scope_user_id(), scope_secret_hash(),
  scope_verified_email(), scope_installation_id()
  to forgewatch_api, forgewatch_worker;
grant execute on function enter_integration(uuid, uuid), enter_integrations(uuid[], uuid) to forgewatch_api;
grant execute on function all_integration_ids() to forgewatch_worker;
grant select, insert, update on users to forgewatch_api;
grant select, insert, update, delete on integrations, memberships to forgewatch_api;
grant select, insert, delete, update (last_used_at, last_used_address) on integration_tokens to forgewatch_api;
grant select on actors to forgewatch_api;
grant select on users, integrations to forgewatch_worker;
grant select, insert, delete on memberships to forgewatch_worker;
-- The worker deletes previous webhook secrets that have expired.
grant update (previous_webhook_secret, previous_secret_valid_until) on integrations to forgewatch_worker;

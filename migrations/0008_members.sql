-- Exactly one owner: at most one by an index, at least one by this, looked at when the transaction ends, so that
-- ownership can change hands inside one. An integration that is deleted needs none.
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

-- Members are listed in the order they joined.
create index memberships_by_age on memberships (integration_id, created_at, user_id);

-- The holder of a secret may find its row and no other: the digest is the scope.
create function scope_secret_hash() returns bytea language sql stable parallel safe
  return decode(nullif(current_setting('app.secret_hash', true), ''), 'hex');

-- Opens the scope of an integration for one of its members; for anybody else none is open. What somebody asked for runs in
-- it, so that row-level security denies what a missing check of the application would let through.
create function enter_integration(p_integration uuid, p_user uuid) returns void language plpgsql as $$
begin
  perform set_config('app.user_id', p_user::text, true);
  perform set_config('app.integration_id', coalesce(
    (select integration_id::text from memberships where integration_id = p_integration and user_id = p_user), ''), true);
  perform set_config('app.user_id', '', true);
end
$$;
create function enter_integrations(p_integrations uuid[], p_user uuid) returns void language plpgsql as $$
begin
  perform set_config('app.user_id', p_user::text, true);
  perform set_config('app.integration_ids', coalesce(
    (select array_agg(integration_id)::text from memberships
     where integration_id = any (p_integrations) and user_id = p_user), ''), true);
  perform set_config('app.user_id', '', true);
end
$$;

create table invitations (
  integration_id  uuid not null references integrations on delete cascade,
  invitation_id   uuid not null default gen_random_uuid(),
  -- Null: anyone with the link.
  email           text,
  role            member_role not null check (role <> 'owner'),
  -- Only the link contains the token itself.
  token_hash      bytea not null unique,
  -- What is pending but past its time counts as expired.
  status          text not null default 'pending' check (status in ('pending', 'accepted', 'revoked')),
  invited_by      uuid not null references users on delete cascade,
  accepted_by     uuid,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  ended_at        timestamptz,
  primary key (integration_id, invitation_id),
  check (email is not null or role in ('viewer', 'member'))
);
call protect_by_integration('invitations');
create policy by_secret on invitations for select using (token_hash = (select scope_secret_hash()));
create unique index invitations_one_open on invitations (integration_id, lower(email)) where status = 'pending';
create index invitations_newest on invitations (integration_id, created_at desc, invitation_id desc);
create index invitations_by_inviter on invitations (invited_by);

-- Invitations and resends of the last hour, which are limited.
create table invitation_sends (
  integration_id  uuid not null references integrations on delete cascade,
  sent_at         timestamptz not null default clock_timestamp()
);
call protect_by_integration('invitation_sends');
create index invitation_sends_newest on invitation_sends (integration_id, sent_at);

-- A member who loses the right to invite loses their open invitations, even if they regain the right later.
create function end_invitations_of_inviter() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  update invitations set status = 'revoked', ended_at = now()
    where integration_id = old.integration_id and invited_by = old.user_id and status = 'pending';
  return null;
end
$$;
create trigger memberships_inviter_removed after delete on memberships
  for each row when (old.role in ('admin', 'owner')) execute function end_invitations_of_inviter();
create trigger memberships_inviter_demoted after update of role on memberships
  for each row when (old.role in ('admin', 'owner') and new.role in ('viewer', 'member'))
  execute function end_invitations_of_inviter();

-- Members of a forge's organization who have not signed in yet; they become members when they do.
create table pending_memberships (
  integration_id  uuid not null references integrations on delete cascade,
  forge_id        bigint not null,
  role            member_role not null check (role <> 'owner'),
  source          member_source not null default 'org_sync',
  created_at      timestamptz not null default now(),
  primary key (integration_id, forge_id)
);
call protect_by_integration('pending_memberships');
-- A person may find what waits for the forge account that the identity provider vouches for.
create policy own_rows on pending_memberships for select
  using (forge_id = (select u.forge_id from users u where u.user_id = (select scope_user_id())));
create index pending_memberships_by_person on pending_memberships (forge_id);

-- Integrations whose rows are still to be purged. Belongs to none that exists, hence no policy and group_id.
create table deleted_integrations (
  group_id    uuid primary key,
  deleted_at  timestamptz not null default now()
);
create function note_deleted_integration() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  insert into deleted_integrations (group_id) values (old.integration_id);
  return null;
end
$$;
create trigger integrations_deleted after delete on integrations
  for each row execute function note_deleted_integration();

-- Deletes up to `p_most` rows from each table that holds rows of the integration of the scope, and answers how many; 0
-- when there are no more. Tables are found by their columns, so that a new one is not forgotten. Only what is deleted
-- can be purged. Messages may be under way for as long as the queue keeps them, so it is watched for a day.
create function purge_deleted_integration(p_most int) returns bigint language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  gone deleted_integrations;
  held record;
  total bigint := 0;
  count bigint;
begin
  select * into gone from deleted_integrations where group_id = scope_integration_id() for update skip locked;
  if not found or exists (select from integrations where integration_id = gone.group_id) then
    return 0;
  end if;
  for held in
    select c.oid::regclass as name, a.attname as key, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('integration_id', 'group_id') and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.oid <> all (array['integrations', 'queue_group', 'deleted_integrations']::regclass[])
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where %2$I = $1::%3$s limit $2))',
      held.name, held.key, held.type) using gone.group_id::text, p_most;
    get diagnostics count = row_count;
    total := total + count;
  end loop;
  delete from queue_message m using (
    select q.group_no, q.seq from queue_message q join queue_group g using (group_no)
    where g.group_id = gone.group_id::text order by q.seq limit p_most) old
  where m.group_no = old.group_no and m.seq = old.seq;
  get diagnostics count = row_count;
  total := total + count;
  if total = 0 and gone.deleted_at < now() - interval '1 day' then
    delete from queue_group where group_id = gone.group_id::text;
    delete from deleted_integrations where group_id = gone.group_id;
  end if;
  return total;
end
$$;

revoke execute on function require_owner(), scope_secret_hash(), enter_integration(uuid, uuid),
  enter_integrations(uuid[], uuid), end_invitations_of_inviter(),
  note_deleted_integration(), purge_deleted_integration(int) from public;
grant execute on function scope_secret_hash() to forgewatch_api, forgewatch_worker;
grant execute on function enter_integration(uuid, uuid), enter_integrations(uuid[], uuid) to forgewatch_api;
grant execute on function purge_deleted_integration(int) to forgewatch_worker;
grant select, insert, update on invitations to forgewatch_api;
grant select, insert, delete on invitation_sends to forgewatch_api;
grant select, delete on pending_memberships to forgewatch_api;
grant select, insert, update, delete on pending_memberships to forgewatch_worker;
grant select on deleted_integrations to forgewatch_worker;

-- Installations of the forge application. They belong to no integration: the forge tells of them before anybody links
-- one, and one may be linked to several. Hence no policy; nothing in them is an integration's.
create table forge_installations (
  installation_id   bigint primary key,
  account_id        bigint not null,
  account_login     text not null,
  account_type      text not null,
  is_suspended      boolean not null default false,
  is_deleted        boolean not null default false,
  -- When the newest event about it was delivered; older ones change nothing.
  as_of             timestamptz not null,
  -- The full sync of its members: due while somebody has it linked, page by page, by one process at a time.
  sync_due_at       timestamptz,
  sync_leased_until timestamptz,
  sync_started_at   timestamptz,
  sync_next_page    int,
  sync_finished_at  timestamptz,
  sync_failures     int not null default 0,
  sync_error        text
);
create index forge_installations_due on forge_installations (sync_due_at) where sync_due_at is not null;

-- Who belongs to the organization of an installation. Who left stays as a row, so that an older addition changes nothing.
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

create function scope_installation_id() returns bigint language sql stable parallel safe
  return nullif(current_setting('app.installation_id', true), '')::bigint;
-- What the forge says of an installation concerns every integration that has it linked.
create policy of_installation on installation_links for select
  using (installation_id = (select scope_installation_id()));

-- Who belongs to the organizations that an integration has linked: all, or of the forge accounts given.
create function organization_members_of(p_integration_id uuid, p_forge_ids bigint[])
  returns table (forge_id bigint) language sql stable as $$
  select distinct m.forge_id from installation_links l
    join forge_installations i on i.installation_id = l.installation_id and not i.is_deleted
    join organization_members m on m.installation_id = l.installation_id and m.is_member
  where l.integration_id = p_integration_id and (p_forge_ids is null or m.forge_id = any (p_forge_ids))
$$;

-- Brings the memberships that come from organizations in step with the above. Never touches the owner, nor a role that
-- somebody assigned by hand or by invitation. Runs in the scope of the integration. Answers who joined and who left.
create function sync_organization_members(p_integration_id uuid, p_role member_role, p_forge_ids bigint[])
  returns table (change text, changed_user_id uuid, changed_name text) language plpgsql as $$
begin
  return query
    delete from memberships m using users u
    where m.integration_id = p_integration_id and m.source = 'org_sync' and m.role <> 'owner'
      and u.user_id = m.user_id and u.forge_id is not null
      and (p_forge_ids is null or u.forge_id = any (p_forge_ids))
      and u.forge_id not in (select w.forge_id from organization_members_of(p_integration_id, p_forge_ids) w)
    returning 'left', u.user_id, coalesce(u.name, u.forge_login);
  delete from pending_memberships p
    where p.integration_id = p_integration_id and p.source = 'org_sync'
      and (p_forge_ids is null or p.forge_id = any (p_forge_ids))
      and p.forge_id not in (select w.forge_id from organization_members_of(p_integration_id, p_forge_ids) w);

  return query
    with joined as (
      insert into memberships as m (integration_id, user_id, role, source)
      select p_integration_id, u.user_id, p_role, 'org_sync'
        from organization_members_of(p_integration_id, p_forge_ids) w join users u on u.forge_id = w.forge_id
      on conflict do nothing
      returning m.user_id)
    select 'joined', u.user_id, coalesce(u.name, u.forge_login) from joined j join users u on u.user_id = j.user_id;
  insert into pending_memberships (integration_id, forge_id, role, source)
    select p_integration_id, w.forge_id, p_role, 'org_sync'
      from organization_members_of(p_integration_id, p_forge_ids) w
      where not exists (select from users u where u.forge_id = w.forge_id)
    on conflict do nothing;
end
$$;
revoke execute on function organization_members_of(uuid, bigint[]), sync_organization_members(uuid, member_role, bigint[])
  from public;
grant execute on function organization_members_of(uuid, bigint[]), sync_organization_members(uuid, member_role, bigint[])
  to forgewatch_api, forgewatch_worker;

grant select, insert, update on forge_installations to forgewatch_api, forgewatch_worker;
grant select, insert, update, delete on organization_members to forgewatch_worker;
grant select on organization_members to forgewatch_api;
grant select, insert, delete on installation_links to forgewatch_api;
grant select, delete on installation_links to forgewatch_worker;
grant insert, delete on memberships to forgewatch_worker;
grant insert on pending_memberships to forgewatch_api;

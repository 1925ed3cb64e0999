-- People who were removed from an integration, or left it: no organization brings them back. The entry ends when they are
-- invited again, or leave the organization, so that joining the organization again adds them here too.
create table former_members (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  primary key (integration_id, user_id)
);
call protect_by_integration('former_members');
grant select, insert, delete on former_members to forgewatch_api;
grant select on former_members to forgewatch_worker;

-- A person who was removed or left does not join again. An insert may have waited for a removal that it could not see yet:
-- hence it comes before the delete, which sees it. Likewise pending memberships are deleted before members leave: where
-- somebody is becoming a member by such an entry at this moment, the first delete waits for them, and the second one sees them.
create or replace function sync_organization_members(p_integration_id uuid, p_role member_role, p_forge_ids bigint[])
  returns table (change text, changed_user_id uuid, changed_name text) language plpgsql as $$
begin
  return query
    with joined as (
      insert into memberships as m (integration_id, user_id, role, source)
      select p_integration_id, u.user_id, p_role, 'org_sync'
        from organization_members_of(p_integration_id, p_forge_ids) w join users u on u.forge_id = w.forge_id
        where not exists (select from former_members f where f.integration_id = p_integration_id and f.user_id = u.user_id)
      on conflict do nothing
      returning m.user_id)
    select 'joined', u.user_id, coalesce(u.name, u.forge_login) from joined j join users u on u.user_id = j.user_id;
  insert into pending_memberships (integration_id, forge_id, role, source)
    select p_integration_id, w.forge_id, p_role, 'org_sync'
      from organization_members_of(p_integration_id, p_forge_ids) w
      where not exists (select from users u where u.forge_id = w.forge_id)
    on conflict do nothing;

  delete from pending_memberships p
    where p.integration_id = p_integration_id and p.source = 'org_sync'
      and (p_forge_ids is null or p.forge_id = any (p_forge_ids))
      and p.forge_id not in (select w.forge_id from organization_members_of(p_integration_id, p_forge_ids) w);
  return query
    delete from memberships m using users u
    where m.integration_id = p_integration_id and m.source = 'org_sync' and m.role <> 'owner'
      and u.user_id = m.user_id and u.forge_id is not null
      and (p_forge_ids is null or u.forge_id = any (p_forge_ids))
      and (u.forge_id not in (select w.forge_id from organization_members_of(p_integration_id, p_forge_ids) w)
        or exists (select from former_members f where f.integration_id = p_integration_id and f.user_id = m.user_id))
    returning 'left', u.user_id, coalesce(u.name, u.forge_login);
end
$$;

-- Whatever tells that somebody left an organization: an event or a full sync. An addition alone ends nothing, as the forge
-- may tell of the same one twice.
create function forget_former_members() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  delete from former_members f using users u, installation_links l
    where u.forge_id = new.forge_id and l.installation_id = new.installation_id
      and f.integration_id = l.integration_id and f.user_id = u.user_id
      and not exists (select from organization_members_of(l.integration_id, array[new.forge_id]));
  return null;
end
$$;
create policy owner_forgets on former_members to current_user using (true) with check (true);
create trigger organization_members_left after update of is_member on organization_members
  for each row when (old.is_member and not new.is_member) execute function forget_former_members();
revoke execute on function forget_former_members() from public;

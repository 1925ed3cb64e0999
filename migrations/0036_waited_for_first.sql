-- As before, but who is waited for is forgotten before members leave: where somebody is becoming a member by such an entry at
-- this moment, the first delete waits for them, and the second one sees them.
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

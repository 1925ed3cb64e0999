-- Deletion of integrations. The rows of a deleted integration are purged in the background.

-- Belongs to no integration that exists, hence no policy and group_id. A trigger fills it, because the data of every deleted
-- integration must be purged, however it was deleted.
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

-- Deletes up to `p_most` rows from each table that holds rows of the integration in scope. Returns how many; 0 when there
-- are no more. Tables are found by their columns, so that a new one is not forgotten. Only a deleted integration is
-- purged. The queue keeps messages for up to a day, so it is purged for a day. Webhooks are known for the same day, so
-- that they can be deleted at the forge.
create function purge_deleted_integration(p_most int) returns bigint language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  gone deleted_integrations;
  held record;
  total bigint := 0;
  count bigint;
  is_old boolean;
begin
  select * into gone from deleted_integrations where group_id = scope_integration_id() for update skip locked;
  if not found or exists (select from integrations where integration_id = gone.group_id) then
    return 0;
  end if;
  is_old := gone.deleted_at < now() - interval '1 day';
  for held in
    select c.oid::regclass as name, a.attname as key, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('integration_id', 'group_id') and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.oid <> all (array['integrations', 'queue_group', 'deleted_integrations']::regclass[])
      and (is_old or c.oid <> all (array['forge_tasks', 'linked_repositories']::regclass[]))
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
  if total = 0 and is_old then
    delete from queue_group where group_id = gone.group_id::text;
    delete from deleted_integrations where group_id = gone.group_id;
  end if;
  return total;
end
$$;

revoke execute on all routines in schema public from public;
grant execute on function purge_deleted_integration(int) to forgewatch_worker;
grant select on deleted_integrations to forgewatch_worker;

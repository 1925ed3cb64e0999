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

-- Only a deleted integration is purged, by one process at a time.
create function lock_deleted_integration() returns deleted_integrations language sql security definer
  set search_path = public, pg_temp as $$
  select d from deleted_integrations d
  where d.group_id = scope_integration_id() and not exists (select from integrations i where i.integration_id = d.group_id)
  for update skip locked
$$;

-- The oldest segments with messages of the deleted integration in scope, and the places of these messages.
create function deleted_segments(p_most int)
returns table (segment_id bigint, accepted_at timestamptz, body bytea, starts int[], lengths int[]) language plpgsql
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare
  gone deleted_integrations := lock_deleted_integration();
begin
  return query
    select s.segment_id, s.accepted_at, s.body, old.starts, old.lengths from (
      select m.segment_id, m.accepted_at, array_agg(m.body_start) as starts, array_agg(m.body_length) as lengths
      from queue_group g join queue_message m using (group_no) where g.group_id = gone.group_id::text
      group by m.segment_id, m.accepted_at order by m.segment_id limit p_most) old
    join queue_segment s on s.segment_id = old.segment_id and s.accepted_at = old.accepted_at
    for update of s;
end
$$;

-- Deletes the messages of the deleted integration in scope from a segment. The segment is replaced when p_body is not empty,
-- and deleted when it is; null leaves it as it is.
create function purge_segment(p_segment bigint, p_at timestamptz, p_body bytea) returns void language plpgsql
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  gone deleted_integrations := lock_deleted_integration();
begin
  delete from queue_message m using queue_group g
  where g.group_id = gone.group_id::text and m.group_no = g.group_no and m.segment_id = p_segment and m.accepted_at = p_at;
  if not found then
    return;
  end if;
  delete from queue_segment where segment_id = p_segment and accepted_at = p_at and p_body = '';
  update queue_segment set body = p_body where segment_id = p_segment and accepted_at = p_at and p_body <> '';
end
$$;

-- Deletes up to `p_most` rows from each table that holds rows of the integration in scope. Returns how many; 0 when there
-- are no more. Tables are found by their columns, so that a new one is not forgotten. The queue keeps messages for up to a
-- day, so it is purged for a day, by the two functions above. Webhooks are known for the same day, so that they can be
-- deleted at the forge.
create function purge_deleted_integration(p_most int) returns bigint language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  gone deleted_integrations := lock_deleted_integration();
  held record;
  total bigint := 0;
  count bigint;
  is_old boolean;
begin
  if gone.group_id is null then
    return 0;
  end if;
  is_old := gone.deleted_at < now() - interval '1 day';
  for held in
    select c.oid::regclass as name, a.attname as key, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('integration_id', 'group_id') and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.oid <> all (array['integrations', 'queue_group', 'deleted_integrations']::regclass[])
      and (is_old or c.oid <> all (array['forge_tasks', 'forge_connections', 'linked_repositories']::regclass[]))
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where %2$I = $1::%3$s limit $2))',
      held.name, held.key, held.type) using gone.group_id::text, p_most;
    get diagnostics count = row_count;
    total := total + count;
  end loop;
  if total = 0 and is_old and not exists (
      select from queue_message m join queue_group g using (group_no) where g.group_id = gone.group_id::text) then
    delete from queue_group where group_id = gone.group_id::text;
    delete from deleted_integrations where group_id = gone.group_id;
  end if;
  return total;
end
$$;

revoke execute on all routines in schema public from public;
grant execute on function purge_deleted_integration(int), deleted_segments(int), purge_segment(bigint, timestamptz, bytea)
  to forgewatch_worker;
grant select on deleted_integrations to forgewatch_worker;

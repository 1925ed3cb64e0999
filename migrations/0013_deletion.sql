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
returns table (segment_id bigint, accepted_at timestamptz, body bytea, starts int[], lengths int[], seqs bigint[]) language plpgsql
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare
  gone deleted_integrations := lock_deleted_integration();
begin
  return query
    select s.segment_id, s.accepted_at, s.body, old.starts, old.lengths, old.seqs from (
      select m.segment_id, m.accepted_at, array_agg(m.body_start) as starts, array_agg(m.body_length) as lengths,
        array_agg(m.seq) as seqs
      from queue_group g join queue_message m using (group_no) where g.group_id = gone.group_id::text
      group by m.segment_id, m.accepted_at order by m.segment_id limit p_most) old
    join queue_segment s on s.segment_id = old.segment_id and s.accepted_at = old.accepted_at
    for update of s;
end
$$;

-- Deletes up to `p_most` rows from each table that holds rows of the integration in scope. Returns how many; 0 when there
-- are no more. Tables are found by their columns, so that a new one is not forgotten. The queue keeps messages for up to a
-- day, so it is purged for a day, by `deleted_segments` and `purge_segment`. Webhooks are known for the same day, so that they can be
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
      and (is_old or c.oid <> all (array['tasks', 'forge_connections', 'linked_repositories']::regclass[]))
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

-- Sample data: what "Send sample traffic" and `simulate` made. Its repositories have an owner that no forge allows, its ids are in a
-- range of their own, and its deliveries have an id that only this installation can give (server/sample-data).

-- One row for each integration that ever had sample data. The worker reads it across integrations, hence group_id.
create table sample_data (
  group_id       uuid primary key references integrations on delete cascade,
  -- Counts the removals. Deliveries of earlier generations are refused, and those in the queue are dropped.
  generation     integer not null default 0,
  -- Whether there may be sample data.
  is_present     boolean not null default true,
  -- Its rows are being removed. Until then nobody may send more.
  is_removing    boolean not null default false,
  -- Deliveries of earlier generations were dropped and are to be deleted.
  has_leftovers  boolean not null default false
);
create index sample_data_to_remove on sample_data (group_id) where is_removing or has_leftovers;
alter table sample_data enable row level security;
create policy by_group on sample_data to forgewatch_api
  using (group_id = (select scope_integration_id())) with check (group_id = (select scope_integration_id()));
create policy worker_removes on sample_data to forgewatch_worker using (true) with check (true);

-- Ingestion keeps the generation with the webhook secret.
create trigger sample_data_changed after insert or update of generation, is_removing on sample_data
  for each row execute function announce('integration_changed', 'group_id');

-- The generation of a sample delivery; null for any other.
create function sample_generation(p_delivery text) returns int language sql immutable
  return substring(p_delivery from '^sample\.([0-9]{1,9})\.')::int;

-- Messages of removed sample data of the integration in scope. Those of a running lease count as waiting.
create function removed_samples() returns table (seq bigint, is_done boolean, accepted_at timestamptz, segment_id bigint,
  body_start int, body_length int) language sql stable set search_path = public, pg_temp set enable_seqscan = off as $$
  select m.seq, m.seq <= g.done_seq, m.accepted_at, m.segment_id, m.body_start, m.body_length
  from sample_data d join queue_group g on g.group_id = d.group_id::text
  -- There is one index for living messages and one for dead ones.
  cross join lateral (
    (select * from queue_message q where q.group_no = g.group_no and not q.is_dead
       and q.deduplication_id >= 'sample.' and q.deduplication_id < 'sample/')
    union all
    (select * from queue_message q where q.group_no = g.group_no and q.is_dead
       and q.deduplication_id >= 'sample.' and q.deduplication_id < 'sample/')) m
  where d.group_id = scope_integration_id() and sample_generation(m.deduplication_id) < d.generation
$$;

-- Whether there are any, also in the queue.
create function has_removed_samples() returns boolean language sql stable
security definer set search_path = public, pg_temp as $$
  select exists (select from removed_samples())
$$;

-- Segments with up to p_messages processed ones, and their places.
create function removed_sample_segments(p_messages int)
returns table (segment_id bigint, accepted_at timestamptz, body bytea, starts int[], lengths int[], seqs bigint[]) language sql
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select s.segment_id, s.accepted_at, s.body, old.starts, old.lengths, old.seqs from (
    select m.segment_id, m.accepted_at, array_agg(m.body_start) as starts, array_agg(m.body_length) as lengths,
      array_agg(m.seq) as seqs
    from (select * from removed_samples() where is_done limit p_messages) m group by m.segment_id, m.accepted_at) old
  join queue_segment s on s.segment_id = old.segment_id and s.accepted_at = old.accepted_at
  order by s.segment_id for update of s
$$;

-- Deletes messages of the integration in scope from a segment, with what was noted about them: any of a deleted integration,
-- and processed ones of removed sample data. The segment is replaced when p_body is not empty, and deleted when it is; null
-- leaves it as it is.
create function purge_segment(p_segment bigint, p_at timestamptz, p_body bytea, p_seqs bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  gone deleted_integrations := lock_deleted_integration();
  own sample_data := (select d from sample_data d where d.group_id = scope_integration_id());
begin
  delete from queue_message m using queue_group g
  where g.group_id = scope_integration_id()::text and m.group_no = g.group_no and m.seq = any (p_seqs)
    and m.segment_id = p_segment and m.accepted_at = p_at
    and (gone.group_id is not null or m.seq <= g.done_seq and sample_generation(m.deduplication_id) < own.generation);
  if not found then
    return;
  end if;
  delete from delivery_evaluations where integration_id = scope_integration_id() and seq = any (p_seqs);
  delete from queue_segment where segment_id = p_segment and accepted_at = p_at and p_body = '';
  update queue_segment set body = p_body where segment_id = p_segment and accepted_at = p_at and p_body <> '';
end
$$;

-- Deletes dead letters of removed sample data, which may outlive their messages. Returns how many.
create function delete_sample_dead_letters(p_most int) returns bigint language sql
security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from dead_letter where message_id = any (array(
      select l.message_id from sample_data d join dead_letter l on l.group_id = d.group_id::text
      where d.group_id = scope_integration_id() and sample_generation(l.deduplication_id) < d.generation limit p_most))
    returning 1)
  select count(*) from gone
$$;

revoke execute on all routines in schema public from public;
grant execute on function purge_deleted_integration(int), deleted_segments(int) to forgewatch_worker;
grant select on deleted_integrations to forgewatch_worker;
grant execute on function has_removed_samples(), removed_sample_segments(int), delete_sample_dead_letters(int),
  purge_segment(bigint, timestamptz, bytea, bigint[]) to forgewatch_worker;
grant select, insert, update on sample_data to forgewatch_api;
grant select, update on sample_data to forgewatch_worker;

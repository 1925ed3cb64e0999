-- What became of a dead letter that left the dead letters stays with its message, as long as that is kept: why it had died,
-- whether it was redriven, dropped or forgotten, and which message took its place.
alter table queue_message add letter_end jsonb;
create index queue_message_dead on queue_message (group_no, deduplication_id) where is_dead;

-- The letters are still there, and what was redriven is already in line.
create function dead_letter_note_end(p_messages bigint[], p_end text) returns void language sql
set search_path = public, pg_temp set enable_seqscan = off as $$
  update queue_message m
  set letter_end = jsonb_build_object('end', p_end, 'ended_at', clock_timestamp(), 'reason', d.reason, 'detail', d.detail,
    'dead_at', d.dead_at, 'successor', case when p_end = 'redriven' then (
      select max(o.seq) from queue_message o
      where o.group_no = g.group_no and o.deduplication_id = d.deduplication_id and not o.is_dead) end)
  from dead_letter d join queue_group g using (group_id)
  where d.message_id = any (p_messages) and m.group_no = g.group_no and m.seq = d.message_id and m.accepted_at = d.sent_at
$$;
revoke execute on function dead_letter_note_end(bigint[], text) from public;

create or replace function dead_letter_redrive(
  p_group text, p_messages bigint[], p_newest bigint, p_max int, p_known_for interval
) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  groups text[];
  numbers int[];
  accept_at timestamptz;
begin
  select array_agg(d.message_id), array_agg(distinct d.group_id) into ids, groups from (
    select * from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages))
      and d.message_id <= p_newest
    order by d.message_id limit p_max for update skip locked) d;
  if ids is null then
    return 0;
  end if;
  numbers := queue_lock_tails(groups);
  accept_at := clock_timestamp();
  insert into queue_message (group_no, accepted_at, deduplication_id, body)
    select g.group_no, accept_at, t.deduplication_id, t.body from (
      select distinct on (group_id, deduplication_id) * from dead_letter where message_id = any (ids)
      order by group_id, deduplication_id, message_id desc) t
    join queue_group g using (group_id)
    where not exists (
      select from queue_message o
      where o.group_no = g.group_no and o.deduplication_id = t.deduplication_id and not o.is_dead
        and o.accepted_at >= accept_at - p_known_for)
    order by t.message_id;
  perform dead_letter_note_end(ids, 'redriven');
  delete from dead_letter where message_id = any (ids);
  perform queue_wake(numbers, accept_at);
  return cardinality(ids);
end
$$;

create or replace function dead_letter_drop(p_group text, p_messages bigint[]) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
begin
  select coalesce(array_agg(d.message_id), '{}') into ids from (
    select d.message_id from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages))
    order by d.message_id for update) d;
  perform dead_letter_note_end(ids, 'dropped');
  delete from dead_letter where message_id = any (ids);
  return cardinality(ids);
end
$$;

create or replace function queue_forget(p_dead interval, p_payload interval, p_max int) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  payloads int;
begin
  select coalesce(array_agg(d.message_id), '{}') into ids from (
    select message_id from dead_letter where dead_at < clock_timestamp() - p_dead limit p_max for update skip locked) d;
  perform dead_letter_note_end(ids, 'forgotten');
  delete from dead_letter where message_id = any (ids);
  delete from large_payload where payload_id in (
    select payload_id from large_payload where stored_at < clock_timestamp() - p_payload limit p_max for update skip locked);
  get diagnostics payloads = row_count;
  return cardinality(ids) + payloads;
end
$$;

-- Why messages are dead, and how they stopped lying among the dead letters; null as long as they do.
drop function delivery_death(bigint[]);
create function delivery_death(p_seqs bigint[])
returns table (
  seq bigint, reason text, detail text, dead_at timestamptz, ended text, ended_at timestamptz, successor bigint
) language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select d.message_id, d.reason, d.detail, d.dead_at, null, null, null from dead_letter d
  where d.message_id = any (p_seqs) and d.group_id = scope_integration_id()::text
  union all
  select m.seq, m.letter_end ->> 'reason', m.letter_end ->> 'detail', (m.letter_end ->> 'dead_at')::timestamptz,
    m.letter_end ->> 'end', (m.letter_end ->> 'ended_at')::timestamptz, (m.letter_end ->> 'successor')::bigint
  from queue_group g join queue_message m on m.group_no = g.group_no and m.seq = any (p_seqs)
  where g.group_id = scope_integration_id()::text and m.letter_end is not null
$$;

create or replace function delivery_find(p_delivery text, p_limit int) returns table (seq bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select m.seq from queue_group g join queue_message m on m.group_no = g.group_no
  where g.group_id = scope_integration_id()::text and m.deduplication_id = p_delivery and not m.is_dead
  union
  select m.seq from queue_group g join queue_message m on m.group_no = g.group_no
  where g.group_id = scope_integration_id()::text and m.deduplication_id = p_delivery and m.is_dead
  order by 1 desc limit p_limit
$$;

revoke execute on function delivery_death(bigint[]) from public;
grant execute on function delivery_death(bigint[]) to forgewatch_api;

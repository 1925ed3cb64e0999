-- As in 0002_queue.sql, except that a full claim locks and reads only the groups whose messages it takes, and none behind them. A claim
-- that locks all ready groups leaves none to those beside it.
create or replace function queue_claim(p_max int, p_batch int, p_bytes int, p_visibility interval, p_lease uuid, p_opened bigint[])
returns table (
  seq bigint, group_no int, group_id text, deduplication_id text, accepted_at timestamptz, receive_count int,
  segment_id bigint, body_start int, body_length int, segment bytea
) language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  waiting int := (select count(*) from (
    select from queue_group q where q.ready_at is not null limit greatest(1, p_max / p_batch)) q);
  line int[];
  passed int[] := '{}';
  held int[] := '{}';
  messages queue_message[];
  claimed int;
begin
  -- A claim that is lost in a crash causes a redelivery and no loss, so it does not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  loop
    -- Groups are locked one by one in the order of the line, until there are enough messages.
    select array_agg(m.message) into messages from (
      select m.message from (
        select q.*, q.suspect_hi > q.done_seq as is_suspect, row_number() over (rows unbounded preceding) as place,
          bool_or(q.suspect_hi > q.done_seq) over (rows unbounded preceding) as follows_suspect
        from (
          select q.group_no, q.done_seq, q.head_at, q.suspect_hi, q.suspect_alone from queue_group q
          where q.ready_at is not null and q.group_no <> all (passed)
          order by q.ready_at limit p_max for no key update skip locked) q) g
      cross join lateral (
        select m as message from queue_message m
        where m.group_no = g.group_no and m.seq > g.done_seq and m.accepted_at >= g.head_at - interval '1 day'
          and m.seq <= case when g.is_suspect then g.suspect_hi else 9223372036854775807 end
        order by m.seq
        limit case when not g.is_suspect then greatest(p_batch, p_max / greatest(1, waiting)) when g.suspect_alone then 1 else p_max end
      ) m
      -- A message that may have killed its worker is claimed alone, so that it takes no other with it.
      where g.place = 1 or not g.follows_suspect
      limit p_max) m;
    return query
      with taken as materialized (
        select m.*, q.group_id, case when q.suspect_hi <= q.done_seq then 1 when q.suspect_alone then 3 else 2 end as receives
        from (
          select m.*, sum(m.body_length) over (order by m.ordinality) - m.body_length as bytes_before
          from unnest(messages) with ordinality m) m
        join queue_group q using (group_no) where m.bytes_before < p_bytes),
      leased as (
        update queue_group q
        set ready_at = null, lease = p_lease, leased_at = clock_timestamp(), lease_until = clock_timestamp() + p_visibility,
          lease_hi = t.hi, lease_hi_at = t.hi_at
        from (
          select distinct on (t.group_no) t.group_no, t.seq as hi, t.accepted_at as hi_at from taken t
          order by t.group_no, t.seq desc) t
        where q.group_no = t.group_no)
      select t.seq, t.group_no, t.group_id, t.deduplication_id, t.accepted_at, t.receives, t.segment_id, t.body_start,
        t.body_length, case
          when t.segment_id <> all (p_opened) and row_number() over (partition by t.segment_id order by t.ordinality) = 1
          then (select s.body from queue_segment s where s.segment_id = t.segment_id and s.accepted_at = t.accepted_at) end
      from taken t order by t.ordinality;
    get diagnostics claimed = row_count;
    exit when claimed = p_max;
    select array_agg(q.group_no order by q.ready_at) into line from (
      select q.group_no, q.ready_at from queue_group q where q.ready_at is not null and q.group_no <> all (passed)
      order by q.ready_at limit p_max for no key update skip locked) q;
    perform queue_leave_line(q.group_no, q.done_seq, q.head_at - interval '1 day')
    from queue_group q where q.group_no = any (line) and q.ready_at is not null;
    exit when claimed > 0 or line is null;
    -- A message that came while a group was locked is seen in the second turn, which begins with the lock.
    passed := passed || held;
    held := line;
  end loop;
end
$$;

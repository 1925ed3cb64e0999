-- The ordered queue: an append-only log of messages, and for each group a cursor and a lease that move over it
-- (docs/queue-states.md). The roles of the service change it only through functions.
--
-- Two locks keep the order. A sender holds the *tail* of a group (an advisory lock) until it commits. Sequence numbers are
-- drawn under this lock, so they follow the order of commits within a group, and the cursor never passes a message that is
-- not visible yet. Claims, settles and sweeps lock the *row* of the group. Appending does not touch the row of a busy
-- group, because a claim skips locked rows and would never get a group with constant traffic.
-- Lock order: the row of a leased or ready group, then tails in order; the row of an idle group only under its tail.
--
-- The bodies of one commit are one *segment*, compressed and sealed together. Messages name their segment and their place
-- in it. A segment contains exactly the messages that name it, and they were accepted at the same time.

create sequence queue_seq;

create table queue_group (
  group_no     int generated always as identity primary key,
  group_id     text collate "C" not null unique,
  -- Since when the group is ready for a claim; null while it is idle or leased. A ready group may turn out to be empty.
  ready_at     timestamptz,
  -- No pending message was accepted before this time, unless a clock was set back. Null while idle.
  head_at      timestamptz,
  -- Kept when the lease runs out, with lease_until null, until the next claim: a worker that was only paused can settle.
  lease        uuid,
  leased_at    timestamptz,
  lease_until  timestamptz,
  -- The lease covers the messages after done_seq up to lease_hi, which was accepted at lease_hi_at.
  lease_hi     bigint,
  lease_hi_at  timestamptz,
  done_seq     bigint not null default 0,
  -- Messages up to here were leased when a lease ran out. They are delivered again without others, and one by one if that
  -- lease runs out as well. This finds the message that kills its workers.
  suspect_hi     bigint not null default 0,
  suspect_alone  boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- Leases and heads have no index: a sweep reads all groups once a second, and each claim and settle would update it.
create index queue_group_ready on queue_group (ready_at) where ready_at is not null;

create table queue_message (
  group_no          int not null,
  seq               bigint not null default nextval('queue_seq'),
  accepted_at       timestamptz not null,
  deduplication_id  text collate "C" not null,
  -- A dead message does not stop a redelivery of the same id.
  is_dead           boolean not null default false,
  segment_id        bigint not null,
  -- The place in the opened segment.
  body_start        int not null,
  body_length       int not null,
  -- Set when a dead letter ends: reason of death, whether it was retried, dropped or forgotten, and its successor.
  dead_letter_end   jsonb
) partition by range (accepted_at);
create index queue_message_by_seq on queue_message (group_no, seq);
create index queue_message_by_delivery on queue_message (group_no, deduplication_id) where not is_dead;
create index queue_message_dead on queue_message (group_no, deduplication_id) where is_dead;

create table queue_segment (
  segment_id   bigint not null default nextval('queue_seq'),
  accepted_at  timestamptz not null,
  body         bytea not null
) partition by range (accepted_at);
-- Encrypted bytes do not compress.
alter table queue_segment alter body set storage external;
create index queue_segment_by_id on queue_segment (segment_id);
-- Holds bodies of several integrations. No role reads it except through functions.
alter table queue_segment enable row level security;

-- Creates the partitions of the weeks that contain the given times. A restored queue holds messages of earlier weeks.
create function queue_make_partitions(p_times timestamptz[]) returns void language plpgsql
set search_path = public, pg_temp as $$
declare
  week timestamptz;
  parent text;
  partition text;
begin
  -- Processes that start together must not create the same partition twice.
  perform pg_advisory_xact_lock(4821003);
  for week in select distinct date_trunc('week', t, 'UTC') from unnest(p_times) t loop
    foreach parent in array array['queue_message', 'queue_segment'] loop
      partition := parent || to_char(week at time zone 'UTC', '_IYYY_IW');
      continue when to_regclass(partition) is not null;
      -- Segments up to a page are stored in their row: out of line, each would cost two more rows and index entries. Inserts
      -- trigger a vacuum, which lets counts use the index alone.
      execute format('create table %I (like %I including all)
        with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.05)', partition, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        parent, partition, week, week + interval '7 days');
    end loop;
  end loop;
end
$$;

-- Creates partitions for each week from yesterday's, for a clock that is set back, to the one in three days. Creating and
-- then attaching one neither waits for users of the queue nor blocks them. Every process calls this, because sends fail
-- without a partition.
create function queue_make_partitions() returns void language sql
security definer set search_path = public, pg_temp as $$
  select queue_make_partitions(array[now() - interval '1 day', now(), now() + interval '3 days'])
$$;

select queue_make_partitions();

-- Drops partitions that ended before the retention and hold no pending message. Gives up quickly when the table is in
-- use, because everybody would queue behind its lock. The next call tries again.
create function queue_drop_partitions(p_retention interval) returns void language plpgsql
security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  old record;
begin
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('queue_message'::regclass, 'queue_segment'::regclass)
      -- The end of the week, plus a day for the time zone in which the name is parsed.
      and to_timestamp(right(c.relname, 7), 'IYYY_IW') + interval '8 days'
        < least(now() - p_retention, (select min(head_at) - interval '1 day' from queue_group))
  loop
    execute format('drop table %I', old.relname);
  end loop;
exception when lock_not_available then
  return;
end
$$;

-- Returns the numbers of the groups in the given order and locks their tails. Tails share 256 locks, which bounds the locks
-- of a transaction. They are taken in order, to prevent deadlocks. Nearly all groups exist, so they are looked up first.
create function queue_lock_tails(p_groups text[]) returns int[] language plpgsql as $$
declare
  numbers int[];
begin
  for attempt in 1..2 loop
    select array_agg(q.group_no order by u.n) into numbers
      from unnest(p_groups) with ordinality u (group_id, n) join queue_group q using (group_id);
    exit when cardinality(numbers) = cardinality(p_groups);
    insert into queue_group (group_id)
      select distinct g from unnest(p_groups) g where not exists (select from queue_group q where q.group_id = g)
      order by g on conflict do nothing;
  end loop;
  perform pg_advisory_xact_lock(4821004, tail) from (select distinct g & 255 as tail from unnest(numbers) g order by 1) t;
  return numbers;
end
$$;

-- Makes idle groups ready. The caller holds their tails.
create function queue_wake(p_groups int[], p_at timestamptz) returns void language sql as $$
  update queue_group set ready_at = p_at, head_at = p_at
  where group_no = any (p_groups) and ready_at is null and lease is null
$$;

-- Appends the messages of one segment and returns its number. A message is known when it is pending or was processed within
-- p_known_for. If there are any, nothing is appended and `fresh` tells which ones are not: the caller sends a segment without
-- the others. A call may contain each pair of group and delivery only once. With p_lease, groups that were idle are leased at
-- once, for a receiver that waits in the process of the sender: `leased` has their numbers.
create function queue_send(
  p_groups text[], p_group_of int[], p_deliveries text[], p_starts int[], p_lengths int[], p_segment bytea,
  p_known_for interval, p_lease uuid, p_visibility interval,
  out segment bigint, out fresh boolean[], out accept_at timestamptz, out numbers int[], out seqs bigint[], out leased int[]
) language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  numbers := queue_lock_tails(p_groups);
  accept_at := clock_timestamp();
  select array_agg((
      select true from queue_message o
      where o.group_no = numbers[m.g] and o.deduplication_id = m.delivery and not o.is_dead
        and o.accepted_at >= accept_at - p_known_for
      limit 1) is null)
    into fresh from unnest(p_group_of, p_deliveries) m (g, delivery);
  if not true = all (fresh) then
    return;
  end if;
  insert into queue_segment (accepted_at, body) values (accept_at, p_segment) returning segment_id into segment;
  with added as (
    insert into queue_message (group_no, accepted_at, deduplication_id, segment_id, body_start, body_length)
    select numbers[m.g], accept_at, m.delivery, segment, m.start, m.length
    from unnest(p_group_of, p_deliveries, p_starts, p_lengths) with ordinality m (g, delivery, start, length, n) order by m.n
    returning seq
  ) select array_agg(seq order by seq) into seqs from added;
  if p_lease is not null then
    with taken as (
      update queue_group q
      set lease = p_lease, leased_at = accept_at, lease_until = clock_timestamp() + p_visibility, lease_hi = t.hi,
        lease_hi_at = accept_at, head_at = accept_at
      from (select numbers[m.g] as group_no, max(m.seq) as hi from unnest(p_group_of, seqs) m (g, seq) group by 1) t
      where q.group_no = t.group_no and q.ready_at is null and q.lease is null
      returning q.group_no
    ) select array_agg(group_no) into leased from taken;
  end if;
  if cardinality(leased) is distinct from cardinality(numbers) then
    perform queue_wake(numbers, accept_at);
  end if;
end
$$;

-- For each delivery: whether it is pending or was processed within p_known_for, and how often it died. For engines that
-- decide before they append.
create function queue_known(p_groups text[], p_deliveries text[], p_known_for interval)
returns table (is_known boolean, deaths int) language sql stable
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select
    exists (
      select from queue_message o
      where o.group_no = g.group_no and o.deduplication_id = m.delivery and not o.is_dead
        and o.accepted_at >= clock_timestamp() - p_known_for),
    (select count(*)::int from queue_message o
     where o.group_no = g.group_no and o.deduplication_id = m.delivery and o.is_dead)
  from unnest(p_groups, p_deliveries) with ordinality m (group_id, delivery, n)
  left join queue_group g using (group_id)
  order by m.n
$$;

-- Leases messages of the groups that have been ready longest: up to p_max messages and p_bytes, in order. A group gives up
-- to p_batch of them, more when few groups wait. The body of a segment comes with its first message, unless it is in p_opened.
create function queue_claim(p_max int, p_batch int, p_bytes int, p_visibility interval, p_lease uuid, p_opened bigint[])
returns table (
  seq bigint, group_no int, group_id text, deduplication_id text, accepted_at timestamptz, receive_count int,
  segment_id bigint, body_start int, body_length int, segment bytea
) language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  line int[];
  passed int[] := '{}';
  claimed int;
begin
  -- A claim that is lost in a crash causes a redelivery and no loss, so it does not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  loop
    select array_agg(q.group_no order by q.ready_at) into line from (
      select q.group_no, q.ready_at from queue_group q where q.ready_at is not null and q.group_no <> all (passed)
      order by q.ready_at limit p_max for no key update skip locked) q;
    exit when line is null;
    return query
      with waiting as materialized (
        select q.*, l.place, q.suspect_hi > q.done_seq as is_suspect,
          min(l.place) filter (where q.suspect_hi > q.done_seq) over () as first_suspect
        from unnest(line) with ordinality l (group_no, place) join queue_group q using (group_no)),
      pending as materialized (
        select m.seq, g.group_no, g.group_id, m.deduplication_id, m.accepted_at, g.place, m.segment_id, m.body_start,
          m.body_length, case when not g.is_suspect then 1 when g.suspect_alone then 3 else 2 end as receives,
          sum(m.body_length) over (order by g.place, m.seq) - m.body_length as bytes_before
        from waiting g cross join lateral (
          select m.seq, m.deduplication_id, m.accepted_at, m.segment_id, m.body_start, m.body_length from queue_message m
          where m.group_no = g.group_no and m.seq > g.done_seq and m.accepted_at >= g.head_at - interval '1 day'
            and m.seq <= case when g.is_suspect then g.suspect_hi else 9223372036854775807 end
          order by m.seq
          limit case when not g.is_suspect then greatest(p_batch, p_max / cardinality(line)) when g.suspect_alone then 1 else p_max end
        ) m
        -- A message that may have killed its worker is claimed alone, so that it takes no other with it.
        where g.first_suspect is null or g.place < greatest(g.first_suspect, 2)
        order by g.place, m.seq limit p_max),
      taken as materialized (select * from pending where bytes_before < p_bytes),
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
          when t.segment_id <> all (p_opened) and row_number() over (partition by t.segment_id order by t.place, t.seq) = 1
          then (select s.body from queue_segment s where s.segment_id = t.segment_id and s.accepted_at = t.accepted_at) end
      from taken t order by t.place, t.seq;
    get diagnostics claimed = row_count;
    if claimed < p_max then
      perform queue_leave_line(q.group_no, q.done_seq, q.head_at - interval '1 day')
      from queue_group q where q.group_no = any (line) and q.ready_at is not null;
    end if;
    exit when claimed > 0;
    passed := passed || line;
  end loop;
end
$$;

-- The group becomes idle, unless a message is behind the cursor or a sender holds its tail. Returns whether it did.
create function queue_leave_line(p_group int, p_done bigint, p_oldest timestamptz) returns boolean language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(4821004, p_group & 255) then
    return false;
  end if;
  update queue_group set ready_at = null, head_at = null
  where group_no = p_group and not exists (
    select from queue_message m where m.group_no = p_group and m.seq > p_done and m.accepted_at >= p_oldest);
  return found;
end
$$;

-- Ends a lease with its failures. The messages of its groups are done, and the groups are requeued even if they are empty;
-- the next claim detects that. With p_leaves, groups without messages leave the line at once, and the result tells whether all
-- did: then the caller needs no claim. Senders to these groups wait for the commit. Raises FW001 when one of the groups is no
-- longer leased to the caller.
create function queue_settle(
  p_lease uuid, p_groups int[], p_failed_groups int[], p_failed bigint[], p_reasons text[], p_details text[], p_leaves boolean
) returns boolean language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  held int;
begin
  update queue_group
    set done_seq = lease_hi, head_at = lease_hi_at, ready_at = clock_timestamp(), lease = null, lease_until = null
    where group_no = any (p_groups) and lease = p_lease;
  get diagnostics held = row_count;
  if held <> cardinality(p_groups) then
    raise exception 'the lease is lost' using errcode = 'FW001';
  end if;
  if cardinality(p_failed) > 0 then
    perform queue_bury(f.group_no, array_agg(f.seq), array_agg(f.reason), array_agg(f.detail))
    from unnest(p_failed_groups, p_failed, p_reasons, p_details) as f (group_no, seq, reason, detail)
    group by f.group_no;
  end if;
  if not p_leaves then
    return false;
  end if;
  return (
    select bool_and(queue_leave_line(q.group_no, q.done_seq, q.head_at - interval '1 day'))
    from queue_group q where q.group_no = any (p_groups));
end
$$;

-- Ends a lease without effect: its groups become ready again and no message is blamed. Skips groups that are leased to
-- another caller.
create function queue_give_back(p_lease uuid, p_groups int[]) returns void language sql
security definer set search_path = public, pg_temp as $$
  update queue_group set ready_at = clock_timestamp(), lease = null, lease_until = null
  where group_no = any (p_groups) and lease = p_lease
$$;

-- Extends leases whose worker was paused and is back. Those that another claim has replaced stay lost.
create function queue_renew(p_leases uuid[], p_visibility interval) returns void language sql
security definer set search_path = public, pg_temp as $$
  update queue_group set lease_until = clock_timestamp() + p_visibility
  where lease = any (p_leases) and lease_until is not null
$$;

-- Ends expired leases, whose worker died or hangs. Their messages are delivered again in their place, unless the worker
-- settles before the next claim. A message whose lease expires twice while it was claimed alone is dead. A lease from before
-- a restart of the database blames nobody.
create function queue_reap() returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  g record;
  seqs bigint[];
  is_dead boolean;
  reaped int := 0;
begin
  for g in
    select group_no, done_seq, lease_hi, head_at - interval '1 day' as oldest, suspect_hi > done_seq as was_suspect,
      leased_at < pg_postmaster_start_time() as is_blameless
    from queue_group where lease_until < clock_timestamp() order by lease_until limit 100 for no key update skip locked
  loop
    select array_agg(m.seq) into seqs from queue_message m
      where m.group_no = g.group_no and m.seq > g.done_seq and m.seq <= g.lease_hi and m.accepted_at >= g.oldest;
    is_dead := g.was_suspect and not g.is_blameless and cardinality(seqs) = 1;
    if is_dead then
      perform queue_bury(g.group_no, seqs, array['abandoned'], array[null]);
    end if;
    update queue_group
      set done_seq = case when is_dead then lease_hi else done_seq end,
        suspect_alone = case when is_dead or g.is_blameless then suspect_alone else g.was_suspect end,
        suspect_hi = case when g.was_suspect or g.is_blameless then suspect_hi else lease_hi end,
        ready_at = clock_timestamp(), lease = case when not is_dead then lease end, lease_until = null
      where group_no = g.group_no;
    reaped := reaped + 1;
  end loop;
  return reaped;
end
$$;

-- Buries messages that nobody processed within the retention, up to p_max of each group. Returns how many.
create function queue_expire(p_retention interval, p_max int) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  g record;
  seqs bigint[];
  expired int := 0;
  since timestamptz := clock_timestamp() - p_retention;
begin
  for g in
    select group_no, done_seq, head_at - interval '1 day' as oldest from queue_group
    where head_at < since and ready_at is not null order by head_at limit 100 for no key update skip locked
  loop
    select array_agg(m.seq order by m.seq) into seqs from (
      select m.seq from queue_message m
      where m.group_no = g.group_no and m.seq > g.done_seq and m.accepted_at >= g.oldest and m.accepted_at < since
        and m.seq < coalesce((
          select k.seq from queue_message k
          where k.group_no = g.group_no and k.seq > g.done_seq and k.accepted_at >= since
          order by k.seq limit 1), m.seq + 1)
      order by m.seq limit p_max) m;
    if seqs is not null then
      perform queue_bury(g.group_no, seqs, array_fill('expired'::text, array[cardinality(seqs)]),
        array_fill(null::text, array[cardinality(seqs)]));
    end if;
    update queue_group q
      set done_seq = coalesce(seqs[cardinality(seqs)], q.done_seq),
        lease = case when seqs is null then lease end,
        head_at = coalesce((
          select m.accepted_at from queue_message m
          where m.group_no = g.group_no and m.seq > coalesce(seqs[cardinality(seqs)], g.done_seq) and m.accepted_at >= g.oldest
          order by m.seq limit 1), since)
      where q.group_no = g.group_no;
    expired := expired + coalesce(cardinality(seqs), 0);
  end loop;
  return expired;
end
$$;

-- Ends leases of sends whose outcome was unknown: no receiver has their messages. Returns those that were found.
create function queue_give_back_lost(p_leases uuid[]) returns setof uuid language sql
security definer set search_path = public, pg_temp as $$
  with found as (select group_no, lease from queue_group where lease = any (p_leases) for no key update),
    given as (
      update queue_group q set ready_at = clock_timestamp(), lease = null, lease_until = null
      from found f where q.group_no = f.group_no)
  select distinct lease from found
$$;

revoke execute on all routines in schema public from public;
grant execute on function queue_make_partitions(), queue_known(text[], text[], interval),
  queue_send(text[], int[], text[], int[], int[], bytea, interval, uuid, interval)
  to forgewatch_api, forgewatch_worker;
grant execute on function queue_claim(int, int, int, interval, uuid, bigint[]), queue_settle(uuid, int[], int[], bigint[], text[], text[], boolean),
  queue_give_back(uuid, int[]), queue_renew(uuid[], interval), queue_reap(), queue_expire(interval, int), queue_drop_partitions(interval),
  queue_give_back_lost(uuid[])
  to forgewatch_worker;

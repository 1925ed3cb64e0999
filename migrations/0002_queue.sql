-- The ordered queue: an append log of messages, and for each group a cursor and a lease that move over it. The service's
-- roles reach it through the functions below alone, so that neither can read what it has no business with.
--
-- Two locks keep the order. The *tail* of a group (an advisory lock) is held by the sender until it commits: numbers
-- are drawn under it, so inside a group their order is the order of commits and the cursor never passes a message that is
-- not there yet. The *row* in queue_group is locked by a claim, a settle and a sweep. Appending leaves the row of a
-- busy group alone: a claim skips locked rows, and would never get hold of a group that is sent to all the time.
-- Lock order: row of a leased or ready group, then tails in order; row of an idle group only under its tail.

create sequence queue_seq;

create table queue_group (
  group_no     int generated always as identity primary key,
  group_id     text collate "C" not null unique,
  -- Since when it stands in line; null while it is idle or leased. What stands in line may turn out to be empty.
  ready_at     timestamptz,
  -- No pending message was accepted before this, unless a clock was set back; null while idle.
  head_at      timestamptz,
  lease        uuid,
  leased_at    timestamptz,
  lease_until  timestamptz,
  -- The lease covers the messages after done_seq up to lease_hi, which was accepted at lease_hi_at.
  lease_hi     bigint,
  lease_hi_at  timestamptz,
  done_seq     bigint not null default 0,
  -- Messages up to here were out when a lease ran out. They are given out again with no others; and, when that lease runs
  -- out as well, each alone, so that the one that kills its workers is found.
  suspect_hi     bigint not null default 0,
  suspect_alone  boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- Leases and heads have no index: a sweep reads all groups once a second, each claim and settle would pay for one.
create index queue_group_ready on queue_group (ready_at) where ready_at is not null;

create table queue_message (
  group_no          int not null,
  seq               bigint not null default nextval('queue_seq'),
  accepted_at       timestamptz not null,
  deduplication_id  text collate "C" not null,
  -- What is dead may be delivered again.
  is_dead           boolean not null default false,
  body              bytea not null
) partition by range (accepted_at);
-- Sealed bytes do not compress.
alter table queue_message alter body set storage external;
create index queue_message_by_seq on queue_message (group_no, seq);
create index queue_message_by_delivery on queue_message (group_no, deduplication_id) where not is_dead;

create table dead_letter (
  message_id        bigint primary key,
  group_id          text collate "C" not null,
  deduplication_id  text collate "C" not null,
  sent_at           timestamptz not null,
  dead_at           timestamptz not null default clock_timestamp(),
  reason            text not null,
  detail            text,
  -- Whether the alarm told of it.
  is_told           boolean not null default false,
  body              bytea not null
);
alter table dead_letter alter body set storage external;
create index dead_letter_by_group on dead_letter (group_id, message_id);
create index dead_letter_dead_at on dead_letter (dead_at);
create index dead_letter_untold on dead_letter (message_id) where not is_told;

-- One row: since when the alarm stands, or when it was last repeated; null while nothing is in the dead letters. Kept here,
-- so that several processes, and one that restarts, raise it once.
create table dead_letter_alarm (raised_at timestamptz);
insert into dead_letter_alarm values (null);

-- Payloads too large for a message, sealed; the message holds the reference.
create table large_payload (
  payload_id  uuid primary key default gen_random_uuid(),
  group_id    text collate "C" not null,
  stored_at   timestamptz not null default clock_timestamp(),
  body        bytea not null
);
alter table large_payload alter body set storage external;
create index large_payload_stored_at on large_payload (stored_at);

-- A partition for each week that begins within three days. It is created separately and then attached, which neither
-- waits for nor blocks users of the queue. Sends fail without a partition, so every process creates them.
create function queue_make_partitions() returns void language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  week timestamptz;
  partition text;
begin
  -- Two processes that start together must not both make the same partition.
  perform pg_advisory_xact_lock(4821003);
  foreach week in array array[date_trunc('week', now(), 'UTC'), date_trunc('week', now() + interval '3 days', 'UTC')] loop
    partition := 'queue_message_' || to_char(week at time zone 'UTC', 'IYYY_IW');
    continue when to_regclass(partition) is not null;
    -- Three rows of a common size fit a page; kept out of line, each would cost two more rows and index entries.
    -- Vacuumed now and then although nothing is deleted, so that counting need not look at the rows.
    execute format('create table %I (like queue_message including all)
      with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.05)', partition);
    execute format('alter table queue_message attach partition %I for values from (%L) to (%L)',
      partition, week, week + interval '7 days');
  end loop;
end
$$;
select queue_make_partitions();

-- Drops what ended before the retention, unless something in it still waits. Gives up quickly when the table is in use,
-- as everybody would have to wait behind it; the next call tries again.
create function queue_drop_partitions(p_retention interval) returns void language plpgsql
security definer set search_path = public, pg_temp set lock_timeout = '200ms' as $$
declare
  old record;
begin
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'queue_message'::regclass
      -- The week's end, and a day for the time zone in which the name is read.
      and to_timestamp(right(c.relname, 7), 'IYYY_IW') + interval '8 days'
        < least(now() - p_retention, (select min(head_at) - interval '1 day' from queue_group))
  loop
    execute format('drop table %I', old.relname);
  end loop;
exception when lock_not_available then
  return;
end
$$;

-- Makes the groups known, takes their tails and answers their numbers in the order given. Tails are shared out over 256
-- locks, so that no transaction holds more; in order, so that none waits in a circle.
create function queue_lock_tails(p_groups text[]) returns int[] language plpgsql as $$
declare
  numbers int[];
begin
  insert into queue_group (group_id)
    select distinct g from unnest(p_groups) g where not exists (select from queue_group q where q.group_id = g)
    order by g on conflict do nothing;
  select array_agg(q.group_no order by u.n) into numbers
    from unnest(p_groups) with ordinality u (group_id, n) join queue_group q using (group_id);
  perform pg_advisory_xact_lock(4821004, tail) from (select distinct g & 255 as tail from unnest(numbers) g order by 1) t;
  return numbers;
end
$$;

-- Puts idle groups in line; the caller holds their tails.
create function queue_wake(p_groups int[], p_at timestamptz) returns void language sql as $$
  update queue_group set ready_at = p_at, head_at = p_at
  where group_no = any (p_groups) and ready_at is null and lease is null
$$;

-- Appends messages; true for each that is new, that is, not pending or processed since p_known_since. Bodies travel in
-- one blob with 1-based starts: bytea[] would be text. No two messages of a call may have the same group and delivery.
create function queue_send(
  p_groups text[], p_group_of int[], p_deliveries text[], p_starts int[], p_lengths int[], p_blob bytea,
  p_known_for interval
) returns boolean[] language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  numbers int[] := queue_lock_tails(p_groups);
  accept_at timestamptz := clock_timestamp();
  known_since timestamptz := accept_at - p_known_for;
  fresh boolean[];
begin
  select array_agg((
      select true from queue_message o
      where o.group_no = numbers[m.g] and o.deduplication_id = m.delivery and not o.is_dead and o.accepted_at >= known_since
      limit 1) is null)
    into fresh from unnest(p_group_of, p_deliveries) m (g, delivery);
  insert into queue_message (group_no, accepted_at, deduplication_id, body)
    select numbers[m.g], accept_at, m.delivery, substr(p_blob, m.start, m.length)
    from unnest(fresh, p_group_of, p_deliveries, p_starts, p_lengths) m (is_fresh, g, delivery, start, length)
    where m.is_fresh;
  perform queue_wake(numbers, accept_at);
  return fresh;
end
$$;

-- Leases the messages of the groups longest in line, in order: the first group's as far as they go, then the next's.
create function queue_claim(p_max int, p_visibility interval, p_lease uuid)
returns table (seq bigint, group_no int, group_id text, deduplication_id text, accepted_at timestamptz, receive_count int, body bytea)
language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  g record;
  room int := p_max;
  first_at timestamptz;
  last_seq bigint;
  last_at timestamptz;
  passed int[] := '{}';
begin
  -- Losing a claim in a crash is a redelivery and no loss, so it does not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  while room > 0 loop
    select q.group_no, q.group_id, q.done_seq, q.head_at - interval '1 day' as oldest, q.suspect_hi > q.done_seq as is_suspect,
        case when q.suspect_hi > q.done_seq then q.suspect_hi else 9223372036854775807 end as most_seq,
        case when q.suspect_hi > q.done_seq and q.suspect_alone then 1 else room end as most,
        case when q.suspect_hi <= q.done_seq then 1 when q.suspect_alone then 3 else 2 end as receives
      into g from queue_group q
      where q.ready_at is not null and q.group_no <> all (passed) order by q.ready_at limit 1 for no key update skip locked;
    -- What may have killed its worker goes out by itself, so that it takes nothing else with it if it does so again.
    exit when not found or (g.is_suspect and room < p_max);
    last_seq := null;
    for seq, deduplication_id, accepted_at, body in
      select m.seq, m.deduplication_id, m.accepted_at, m.body from queue_message m
      where m.group_no = g.group_no and m.seq > g.done_seq and m.seq <= g.most_seq and m.accepted_at >= g.oldest
      order by m.seq limit g.most
    loop
      group_no := g.group_no;
      group_id := g.group_id;
      receive_count := g.receives;
      last_seq := seq;
      last_at := accepted_at;
      room := room - 1;
      return next;
    end loop;
    if last_seq is null then
      perform queue_leave_line(g.group_no, g.done_seq, g.oldest);
      passed := passed || g.group_no;
      continue;
    end if;
    update queue_group q
      set ready_at = null, lease = p_lease, leased_at = clock_timestamp(), lease_until = clock_timestamp() + p_visibility,
        lease_hi = last_seq, lease_hi_at = last_at
      where q.group_no = g.group_no;
    exit when g.is_suspect;
  end loop;
end
$$;

-- Nothing was seen behind the cursor of a claimed row: it is idle, unless somebody is just appending to it; that is not
-- waited for.
create function queue_leave_line(p_group int, p_done bigint, p_oldest timestamptz) returns void language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(4821004, p_group & 255) then
    update queue_group set ready_at = null, head_at = null
    where group_no = p_group and not exists (
      select from queue_message m where m.group_no = p_group and m.seq > p_done and m.accepted_at >= p_oldest);
  end if;
end
$$;

-- Moves messages to the dead letters. Their deduplication ends, so that a redelivery is processed.
create function queue_bury(p_group int, p_seqs bigint[], p_reasons text[], p_details text[]) returns void language sql as $$
  with buried as (
    insert into dead_letter (message_id, group_id, deduplication_id, sent_at, reason, detail, body)
    select m.seq, g.group_id, m.deduplication_id, m.accepted_at, f.reason, f.detail, m.body
    from unnest(p_seqs, p_reasons, p_details) as f (seq, reason, detail)
    join queue_message m on m.group_no = p_group and m.seq = f.seq
    join queue_group g on g.group_no = p_group
    on conflict (message_id) do nothing
  )
  update queue_message set is_dead = true where group_no = p_group and seq = any (p_seqs)
$$;

-- Ends a lease with its failures. The messages of its groups are done, and the groups are requeued even if they are empty;
-- the next claim detects that. Raises FW001 when one of the groups is no longer leased to the caller.
create function queue_settle(p_lease uuid, p_groups int[], p_failed_groups int[], p_failed bigint[], p_reasons text[], p_details text[])
returns void language plpgsql security definer
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
end
$$;

-- Leases that ran out: the worker died or hangs. What it held is given out again, in its place. One that was out by itself
-- both times is dead. A database that was away since proves nothing against a message.
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
        ready_at = clock_timestamp(), lease = null, lease_until = null
      where group_no = g.group_no;
    reaped := reaped + 1;
  end loop;
  return reaped;
end
$$;

-- What nobody took within the retention, up to p_max messages of a group at a time. Returns how many messages.
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

-- Forgets what is over, up to p_max rows of each. Returns how many, so that the caller can go on.
create function queue_forget(p_dead interval, p_payload interval, p_max int) returns int language sql
security definer set search_path = public, pg_temp as $$
  with letters as (
    delete from dead_letter where message_id in (
      select message_id from dead_letter where dead_at < clock_timestamp() - p_dead limit p_max for update skip locked)
    returning 1
  ), payloads as (
    delete from large_payload where payload_id in (
      select payload_id from large_payload where stored_at < clock_timestamp() - p_payload limit p_max for update skip locked)
    returning 1
  )
  select ((select count(*) from letters) + (select count(*) from payloads))::int
$$;

-- Counted from the index alone: a backlog may be long.
create function queue_depth() returns table (ready bigint, in_flight bigint, dead bigint) language sql stable
security definer set search_path = public, pg_temp as $$
  select coalesce(sum(pending.count - leased.count), 0)::bigint, coalesce(sum(leased.count), 0)::bigint,
         (select count(*) from dead_letter)
  from queue_group g
  cross join lateral (select count(*) from queue_message m where m.group_no = g.group_no and m.seq > g.done_seq) pending
  cross join lateral (
    select count(*) from queue_message m
    where g.lease is not null and m.group_no = g.group_no and m.seq > g.done_seq and m.seq <= g.lease_hi) leased
  where g.head_at is not null
$$;

create function dead_letter_list(p_group text, p_after bigint, p_limit int)
returns table (message_id bigint, group_id text, reason text, detail text, sent_at timestamptz, dead_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.message_id, d.group_id, d.reason, d.detail, d.sent_at, d.dead_at from dead_letter d
  where (p_group is null or d.group_id = p_group) and (p_after is null or d.message_id > p_after)
  order by d.message_id limit p_limit
$$;

create function dead_letter_read(p_message bigint)
returns table (message_id bigint, group_id text, deduplication_id text, sent_at timestamptz, body bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.message_id, d.group_id, d.deduplication_id, d.sent_at, d.body from dead_letter d
  where d.message_id = p_message
$$;

create function dead_letter_summary() returns table (group_id text, reason text, count bigint) language sql stable
security definer set search_path = public, pg_temp as $$
  select d.group_id, d.reason, count(*) from dead_letter d group by 1, 2 order by 3 desc, 1, 2 limit 1000
$$;

-- The letters the alarm did not tell of yet; told of when the transaction commits.
create function dead_letter_news() returns table (group_id text, reason text, count bigint) language sql
security definer set search_path = public, pg_temp as $$
  with news as (update dead_letter d set is_told = true where not d.is_told returning d.group_id, d.reason)
  select n.group_id, n.reason, count(*) from news n group by 1, 2
$$;

-- True when the alarm is to be raised, or repeated after p_again; false when it ends; else null.
create function dead_letter_raise_alarm(p_again interval) returns boolean language sql
security definer set search_path = public, pg_temp as $$
  update dead_letter_alarm a set raised_at = case when now.is_dead then clock_timestamp() end
  from (select exists (select from dead_letter) as is_dead) now
  where case when now.is_dead then coalesce(a.raised_at < clock_timestamp() - p_again, true) else a.raised_at is not null end
  returning now.is_dead
$$;

-- The newest letter there is: what dies later, a redriven one that fails again included, has a higher number.
create function dead_letter_newest() returns bigint language sql stable
security definer set search_path = public, pg_temp as $$
  select max(d.message_id) from dead_letter d
$$;

-- Puts up to p_max letters, none newer than p_newest, back at the end of their groups as new messages. One whose delivery
-- came again meanwhile is left to that.
create function dead_letter_redrive(p_group text, p_messages bigint[], p_newest bigint, p_max int, p_known_for interval)
returns int language plpgsql security definer set search_path = public, pg_temp as $$
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
  with taken as (
    delete from dead_letter d where d.message_id = any (ids) returning d.*
  )
  insert into queue_message (group_no, accepted_at, deduplication_id, body)
    select g.group_no, accept_at, t.deduplication_id, t.body from (
      select distinct on (group_id, deduplication_id) * from taken order by group_id, deduplication_id, message_id desc) t
    join queue_group g using (group_id)
    where not exists (
      select from queue_message o
      where o.group_no = g.group_no and o.deduplication_id = t.deduplication_id and not o.is_dead
        and o.accepted_at >= accept_at - p_known_for)
    order by t.message_id;
  perform queue_wake(numbers, accept_at);
  return cardinality(ids);
end
$$;

create function dead_letter_drop(p_group text, p_messages bigint[]) returns int language sql
security definer set search_path = public, pg_temp as $$
  with dropped as (
    delete from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages))
    returning 1
  )
  select count(*)::int from dropped
$$;

create function large_payload_store(p_group text, p_body bytea) returns uuid language sql
security definer set search_path = public, pg_temp as $$
  insert into large_payload (group_id, body) values (p_group, p_body) returning payload_id
$$;

create function large_payload_load(p_group text, p_payload uuid) returns bytea language sql
stable security definer set search_path = public, pg_temp as $$
  select l.body from large_payload l where l.payload_id = p_payload and l.group_id = p_group
$$;

revoke execute on all functions in schema public from public;
grant execute on function scope_integration_id(), scope_integration_ids(), scope_user_id()
  to forgewatch_api, forgewatch_worker;
grant execute on function queue_make_partitions(), queue_depth(),
  queue_send(text[], int[], text[], int[], int[], bytea, interval),
  dead_letter_list(text, bigint, int), dead_letter_read(bigint), dead_letter_summary(), dead_letter_newest(),
  dead_letter_redrive(text, bigint[], bigint, int, interval), dead_letter_drop(text, bigint[]),
  large_payload_store(text, bytea)
  to forgewatch_api, forgewatch_worker;
grant execute on function queue_claim(int, interval, uuid), queue_reap(), queue_expire(interval, int),
  queue_settle(uuid, int[], int[], bigint[], text[], text[]), queue_forget(interval, interval, int),
  queue_drop_partitions(interval), dead_letter_news(), dead_letter_raise_alarm(interval), large_payload_load(text, uuid)
  to forgewatch_worker;

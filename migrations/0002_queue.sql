-- The ordered queue: an append log of messages and a cursor per group. The service's roles reach it through the
-- functions below alone, so that neither can read what it has no business with.

create sequence queue_seq;

create table queue_group (
  group_id     text primary key,
  -- Since when something can be taken; null while nothing is there or the group is leased.
  ready_at     timestamptz,
  -- Accept time of the oldest message not taken yet: bounds the partitions a claim looks at, and tells what expires.
  head_at      timestamptz,
  lease        uuid,
  lease_until  timestamptz,
  -- The lease covers messages after done_seq up to here.
  lease_hi     bigint,
  done_seq     bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create index queue_group_ready on queue_group (ready_at) where ready_at is not null;
create index queue_group_leased on queue_group (lease_until) where lease_until is not null;
create index queue_group_head on queue_group (head_at) where head_at is not null;

create table queue_message (
  group_id          text not null,
  seq               bigint not null default nextval('queue_seq'),
  accepted_at       timestamptz not null,
  deduplication_id  text not null,
  -- An abandoned message is given out once more by itself, then never again.
  redriven          boolean not null default false,
  -- 0: sealed as it is, 1: compressed, then sealed.
  encoding          smallint not null,
  body              bytea not null,
  primary key (group_id, seq, accepted_at)
) partition by range (accepted_at);
-- Sealed bytes do not compress.
alter table queue_message alter body set storage external;

-- A row exists exactly while its message is pending or processed: what is dead may be delivered again.
create table queue_dedup (
  group_id          text not null,
  deduplication_id  text not null,
  at                timestamptz not null default clock_timestamp(),
  primary key (group_id, deduplication_id)
);
create index queue_dedup_at on queue_dedup using brin (at);

create table dead_letter (
  message_id        bigint primary key,
  group_id          text not null,
  deduplication_id  text not null,
  sent_at           timestamptz not null,
  dead_at           timestamptz not null default clock_timestamp(),
  reason            text not null,
  detail            text,
  encoding          smallint not null,
  body              bytea not null
);
alter table dead_letter alter body set storage external;
create index dead_letter_by_group on dead_letter (group_id, message_id);
create index dead_letter_dead_at on dead_letter (dead_at);

-- Payloads too large for a message, sealed; the message holds the reference.
create table large_payload (
  payload_id  uuid primary key default gen_random_uuid(),
  group_id    text not null,
  stored_at   timestamptz not null default clock_timestamp(),
  encoding    smallint not null,
  body        bytea not null
);
alter table large_payload alter body set storage external;
create index large_payload_stored_at on large_payload (stored_at);

-- Partitions of this week and the next; those that ended before the retention are dropped.
create function queue_keep_partitions(retention interval) returns void language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  week timestamptz;
  old record;
begin
  -- Two processes that start together must not both make the same partition.
  perform pg_advisory_xact_lock(4821003);
  foreach week in array array[date_trunc('week', now(), 'UTC'), date_trunc('week', now() + interval '7 days', 'UTC')] loop
    if to_regclass('queue_message_' || to_char(week at time zone 'UTC', 'IYYY_IW')) is null then
      -- A common body stays in its row: moved out, it would cost an index look-up for each 2 KB at writing and reading.
      execute format('create table %I partition of queue_message for values from (%L) to (%L) with (toast_tuple_target = 8160)',
        'queue_message_' || to_char(week at time zone 'UTC', 'IYYY_IW'), week, week + interval '7 days');
    end if;
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'queue_message'::regclass
      and to_timestamp(right(c.relname, 7), 'IYYY_IW') + interval '8 days' < now() - retention
  loop
    execute format('drop table %I', old.relname);
  end loop;
end
$$;
select queue_keep_partitions(interval '90 days');

-- Generic plans: for a partitioned table the planner would plan anew at each call, which costs more than it saves.
-- Appends messages; true for each that is new. Bodies travel in one blob with 1-based offsets: bytea[] would be text.
create function queue_send(
  p_groups text[], p_dedups text[], p_encodings smallint[], p_offsets int[], p_lengths int[], p_blob bytea
) returns boolean[] language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  accepted boolean[];
  now_at timestamptz;
begin
  -- Groups are locked before sequence numbers are taken, so that inside a group the order of numbers is the order of
  -- commits and the cursor never passes a message that is not there yet. Sorted: no deadlock.
  insert into queue_group (group_id) select distinct g from unnest(p_groups) g order by g
    on conflict (group_id) do update set done_seq = 0 where false;
  -- Never before the head, should the clock be set back: a claim looks from there on.
  select greatest(clock_timestamp(), max(head_at)) into now_at from queue_group where group_id = any (p_groups);
  with message as materialized (
    select * from unnest(p_groups, p_dedups, p_encodings, p_offsets, p_lengths)
      with ordinality as m (group_id, deduplication_id, encoding, start, length, n)
  ), fresh as (
    insert into queue_dedup (group_id, deduplication_id)
    select group_id, deduplication_id from message order by 1, 2
    on conflict do nothing returning group_id, deduplication_id
  ), first as materialized (
    select min(n) as n from message join fresh using (group_id, deduplication_id) group by group_id, deduplication_id
  ), inserted as (
    insert into queue_message (group_id, accepted_at, deduplication_id, encoding, body)
    select group_id, now_at, deduplication_id, encoding, substr(p_blob, start, length)
    from message join first using (n) order by n
    returning group_id
  ), woken as (
    update queue_group g set ready_at = now_at, head_at = now_at
    where g.group_id in (select group_id from inserted) and g.ready_at is null and g.lease is null
  )
  select array_agg(f.n is not null order by m.n) into accepted from message m left join first f using (n);
  return accepted;
end
$$;

-- Leases the messages of the longest-ready groups, in order: the first group's as far as they go, then the next's.
create function queue_claim(p_max int, p_visibility interval, p_lease uuid)
returns table (seq bigint, group_id text, deduplication_id text, accepted_at timestamptz, encoding smallint, body bytea)
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  taken int := 0;
  got int;
  high bigint;
  g record;
begin
  -- Losing a claim in a crash is a redelivery and no loss, so it does not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  while taken < p_max loop
    select q.group_id, q.done_seq, q.head_at into g from queue_group q
      where q.ready_at is not null order by q.ready_at limit 1 for no key update skip locked;
    exit when not found;
    return query
      select m.seq, m.group_id, m.deduplication_id, m.accepted_at, m.encoding, m.body from queue_message m
      where m.group_id = g.group_id and m.seq > g.done_seq and m.accepted_at >= g.head_at
      order by m.seq limit p_max - taken;
    get diagnostics got = row_count;
    taken := taken + got;
    select max(s.seq) into high from (
      select m.seq from queue_message m
      where m.group_id = g.group_id and m.seq > g.done_seq and m.accepted_at >= g.head_at
      order by m.seq limit got) s;
    update queue_group q
      set ready_at = null, lease = p_lease, lease_until = clock_timestamp() + p_visibility, lease_hi = high
      where q.group_id = g.group_id;
  end loop;
end
$$;

-- Moves the cursors over what leases covered and gives the groups back, at the end of the line when more is there.
-- Called inside the functions below alone, which is why it states neither owner nor path of its own.
create function queue_release(p_groups text[]) returns void language plpgsql as $$
begin
  update queue_group g
  set done_seq = g.lease_hi, lease = null, lease_until = null, lease_hi = null, head_at = next.accepted_at,
      ready_at = case when next.accepted_at is not null then clock_timestamp() end
  from (
    select q.group_id, (
      select m.accepted_at from queue_message m
      where m.group_id = q.group_id and m.seq > q.lease_hi and m.accepted_at >= q.head_at
      order by m.seq limit 1) as accepted_at
    from queue_group q where q.group_id = any (p_groups)) next
  where g.group_id = next.group_id;
end
$$;

-- Moves messages to the dead letters; their deduplication ends, so that a redelivery is processed.
create function queue_bury(p_group text, p_seqs bigint[], p_reasons text[], p_details text[]) returns void language sql as $$
  with buried as (
    insert into dead_letter (message_id, group_id, deduplication_id, sent_at, reason, detail, encoding, body)
    select m.seq, m.group_id, m.deduplication_id, m.accepted_at, f.reason, f.detail, m.encoding, m.body
    from unnest(p_seqs, p_reasons, p_details) as f (seq, reason, detail)
    join queue_message m on m.group_id = p_group and m.seq = f.seq
    on conflict (message_id) do nothing
    returning deduplication_id
  )
  delete from queue_dedup d using buried b where d.group_id = p_group and d.deduplication_id = b.deduplication_id
$$;

-- Ends a lease with its failures. Raises FW001 when one of the groups is leased to somebody else by now.
create function queue_settle(p_lease uuid, p_groups text[], p_failed_groups text[], p_failed bigint[], p_reasons text[], p_details text[])
returns void language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan as $$
declare
  held int;
begin
  perform from queue_group where group_id = any (p_groups) and lease = p_lease order by group_id for update;
  get diagnostics held = row_count;
  if held <> cardinality(p_groups) then
    raise exception 'the lease is lost' using errcode = 'FW001';
  end if;
  if cardinality(p_failed) > 0 then
    perform queue_bury(f.group_id, array_agg(f.seq), array_agg(f.reason), array_agg(f.detail))
    from unnest(p_failed_groups, p_failed, p_reasons, p_details) as f (group_id, seq, reason, detail)
    group by f.group_id;
  end if;
  perform queue_release(p_groups);
end
$$;

-- Leases that ran out: the worker died or hangs. Each message is queued once more at the end of its group; one that was
-- already goes to the dead letters.
create function queue_reap() returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  g record;
  reaped int := 0;
begin
  for g in
    select group_id, done_seq, lease_hi, head_at from queue_group
    where lease_until < clock_timestamp() order by lease_until limit 100 for update skip locked
  loop
    perform queue_bury(g.group_id, array_agg(m.seq), array_agg('abandoned'::text), array_agg(null::text))
    from queue_message m
    where m.group_id = g.group_id and m.seq > g.done_seq and m.seq <= g.lease_hi and m.accepted_at >= g.head_at and m.redriven
    having count(*) > 0;
    insert into queue_message (group_id, accepted_at, deduplication_id, redriven, encoding, body)
    select m.group_id, greatest(clock_timestamp(), g.head_at), m.deduplication_id, true, m.encoding, m.body
    from queue_message m
    where m.group_id = g.group_id and m.seq > g.done_seq and m.seq <= g.lease_hi and m.accepted_at >= g.head_at and not m.redriven
    order by m.seq;
    perform queue_release(array[g.group_id]);
    reaped := reaped + 1;
  end loop;
  return reaped;
end
$$;

-- What nobody took within the retention.
create function queue_expire(p_retention interval) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  g record;
  high bigint;
  expired int := 0;
begin
  for g in
    select group_id, done_seq, head_at from queue_group
    where head_at < clock_timestamp() - p_retention and lease is null order by head_at limit 100 for update skip locked
  loop
    perform queue_bury(g.group_id, array_agg(m.seq), array_agg('expired'::text), array_agg(null::text))
    from queue_message m
    where m.group_id = g.group_id and m.seq > g.done_seq and m.accepted_at >= g.head_at
      and m.accepted_at < clock_timestamp() - p_retention
    having count(*) > 0;
    select max(m.seq) into high from queue_message m
    where m.group_id = g.group_id and m.seq > g.done_seq and m.accepted_at >= g.head_at
      and m.accepted_at < clock_timestamp() - p_retention;
    update queue_group set lease_hi = coalesce(high, g.done_seq) where group_id = g.group_id;
    perform queue_release(array[g.group_id]);
    expired := expired + 1;
  end loop;
  return expired;
end
$$;

-- Forgets what is over: deduplication after its time, dead letters after theirs, large payloads after both.
create function queue_forget(p_dedup interval, p_dead interval) returns void language sql
security definer set search_path = public, pg_temp as $$
  delete from queue_dedup where ctid = any (array(
    select ctid from queue_dedup where at < clock_timestamp() - p_dedup limit 20000));
  delete from dead_letter where dead_at < clock_timestamp() - p_dead;
  delete from large_payload where stored_at < clock_timestamp() - p_dead - p_dedup;
$$;

create function queue_depth() returns table (ready bigint, in_flight bigint, dead bigint) language sql stable
security definer set search_path = public, pg_temp as $$
  select coalesce(sum(pending.total - pending.leased), 0)::bigint, coalesce(sum(pending.leased), 0)::bigint,
         (select count(*) from dead_letter)
  from queue_group g cross join lateral (
    select count(*) as total, count(*) filter (where m.seq <= g.lease_hi) as leased from queue_message m
    where m.group_id = g.group_id and m.seq > g.done_seq and m.accepted_at >= g.head_at) pending
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
returns table (message_id bigint, group_id text, deduplication_id text, sent_at timestamptz, encoding smallint, body bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.message_id, d.group_id, d.deduplication_id, d.sent_at, d.encoding, d.body from dead_letter d
  where d.message_id = p_message
$$;

create function dead_letter_summary() returns table (group_id text, reason text, count bigint) language sql stable
security definer set search_path = public, pg_temp as $$
  select d.group_id, d.reason, count(*) from dead_letter d group by 1, 2 order by 3 desc, 1, 2 limit 1000
$$;

-- Puts letters back at the end of their groups, as new messages; a delivery that came again meanwhile is left to that one.
create function dead_letter_redrive(p_group text, p_messages bigint[]) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  redriven int;
begin
  insert into queue_group (group_id)
    select distinct d.group_id from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages)) order by 1
    on conflict (group_id) do update set done_seq = 0 where false;
  with taken as (
    delete from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages))
    returning d.*
  ), fresh as (
    insert into queue_dedup (group_id, deduplication_id) select group_id, deduplication_id from taken
    on conflict do nothing returning group_id, deduplication_id
  ), inserted as (
    insert into queue_message (group_id, accepted_at, deduplication_id, encoding, body)
    select t.group_id, greatest(clock_timestamp(), g.head_at), t.deduplication_id, t.encoding, t.body
    from taken t join fresh using (group_id, deduplication_id) join queue_group g using (group_id) order by t.message_id
    returning group_id, accepted_at
  ), woken as (
    update queue_group g set ready_at = clock_timestamp(), head_at = i.accepted_at
    from (select group_id, min(accepted_at) as accepted_at from inserted group by 1) i
    where g.group_id = i.group_id and g.ready_at is null and g.lease is null
  )
  select count(*) into redriven from taken;
  return redriven;
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

create function large_payload_store(p_group text, p_encoding smallint, p_body bytea) returns uuid language sql
security definer set search_path = public, pg_temp as $$
  insert into large_payload (group_id, encoding, body) values (p_group, p_encoding, p_body) returning payload_id
$$;

create function large_payload_load(p_group text, p_payload uuid) returns table (encoding smallint, body bytea) language sql
stable security definer set search_path = public, pg_temp as $$
  select l.encoding, l.body from large_payload l where l.payload_id = p_payload and l.group_id = p_group
$$;

revoke execute on all functions in schema public from public;
grant execute on function scope_integration_id(), scope_integration_ids(), scope_user_id()
  to forgewatch_api, forgewatch_worker;
grant execute on function queue_send(text[], text[], smallint[], int[], int[], bytea), queue_depth(),
  dead_letter_list(text, bigint, int), dead_letter_read(bigint), dead_letter_summary(),
  dead_letter_redrive(text, bigint[]), dead_letter_drop(text, bigint[]), large_payload_store(text, smallint, bytea)
  to forgewatch_api, forgewatch_worker;
grant execute on function queue_claim(int, interval, uuid), queue_reap(), queue_expire(interval),
  queue_settle(uuid, text[], text[], bigint[], text[], text[]), queue_forget(interval, interval),
  queue_keep_partitions(interval), large_payload_load(text, uuid)
  to forgewatch_worker;

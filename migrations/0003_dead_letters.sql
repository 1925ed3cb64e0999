-- Messages that could not be processed, and payloads that are too large for a message.

create table dead_letter (
  message_id        bigint primary key,
  group_id          text collate "C" not null,
  deduplication_id  text collate "C" not null,
  sent_at           timestamptz not null,
  dead_at           timestamptz not null default now(),
  reason            text not null,
  detail            text,
  -- Whether the alarm has reported it.
  is_reported           boolean not null default false,
  -- A segment of its own, so that a dead letter outlives the log. The worker makes it in the transaction that adds the dead
  -- letter. When the segment of the message cannot be opened, its copy stays.
  body              bytea not null,
  body_start        int not null default 0,
  body_length       int not null default 0,
  is_own_segment    boolean not null default false
);
create index dead_letter_shared on dead_letter (dead_at, message_id) where not is_own_segment;
alter table dead_letter alter body set storage external;
create index dead_letter_by_group on dead_letter (group_id, message_id);
create index dead_letter_dead_at on dead_letter (dead_at);
create index dead_letter_unreported on dead_letter (message_id) where not is_reported;
alter table dead_letter enable row level security;
-- The api sees the dead letters of the integration in scope. The worker and the commands of operators see all.
create policy by_group on dead_letter for select to forgewatch_api using (group_id = (select scope_integration_id())::text);
create policy worker_reads on dead_letter to forgewatch_worker using (true);

-- One row: the last time the alarm was raised or repeated; null while there are no dead letters. Stored, so that several
-- processes and restarted ones raise it once.
create table dead_letter_alarm (raised_at timestamptz);
insert into dead_letter_alarm values (null);

-- Encrypted. The message contains the reference.
create table large_payload (
  payload_id  uuid primary key default gen_random_uuid(),
  group_id    text collate "C" not null,
  -- When a worker last read it. A payload is kept as long as messages refer to it: retries, replays and late messages of
  -- another queue read it again.
  needed_at   timestamptz not null default clock_timestamp(),
  body        bytea not null
);
alter table large_payload alter body set storage external;
create index large_payload_needed_at on large_payload (needed_at);
alter table large_payload enable row level security;
create policy by_group on large_payload for select to forgewatch_api using (group_id = (select scope_integration_id())::text);
-- The ingress stores payloads before it has a scope.
create policy ingress_stores on large_payload for insert to forgewatch_api with check (true);
create policy worker_reads on large_payload to forgewatch_worker using (true) with check (true);

-- Moves messages to the dead letters. Their deduplication ends, so that a redelivery is processed.
create function queue_bury(p_group int, p_seqs bigint[], p_reasons text[], p_details text[]) returns void language sql as $$
  with buried as (
    insert into dead_letter
      (message_id, group_id, deduplication_id, sent_at, reason, detail, body, body_start, body_length)
    select m.seq, g.group_id, m.deduplication_id, m.accepted_at, f.reason, f.detail, s.body, m.body_start, m.body_length
    from unnest(p_seqs, p_reasons, p_details) as f (seq, reason, detail)
    join queue_message m on m.group_no = p_group and m.seq = f.seq
    join queue_segment s on s.segment_id = m.segment_id and s.accepted_at = m.accepted_at
    join queue_group g on g.group_no = p_group
    on conflict (message_id) do nothing
  )
  update queue_message set is_dead = true where group_no = p_group and seq = any (p_seqs)
$$;

-- Counted from the index alone, because a backlog may be long.
create function queue_depth() returns table (ready bigint, in_flight bigint, dead bigint, oldest_seconds float8) language sql stable
security definer set search_path = public, pg_temp as $$
  select coalesce(sum(pending.count - leased.count), 0)::bigint, coalesce(sum(leased.count), 0)::bigint,
         (select count(*) from dead_letter),
         coalesce(greatest(extract(epoch from now() - min(g.head_at) filter (where pending.count > 0)), 0), 0)::float8
  from queue_group g
  cross join lateral (select count(*) from queue_message m where m.group_no = g.group_no and m.seq > g.done_seq) pending
  cross join lateral (
    select count(*) from queue_message m
    where g.lease_until is not null and m.group_no = g.group_no and m.seq > g.done_seq and m.seq <= g.lease_hi) leased
  where g.head_at is not null
$$;

-- Stores with the message how its dead letter ends. Called before the dead letter is deleted and after its successor is
-- sent.
create function dead_letter_note_end(p_messages bigint[], p_end text) returns void language sql
set search_path = public, pg_temp set enable_seqscan = off as $$
  update queue_message m
  set dead_letter_end = jsonb_build_object('end', p_end, 'ended_at', clock_timestamp(), 'reason', d.reason, 'detail', d.detail,
    'dead_at', d.dead_at, 'successor', case when p_end = 'redriven' then (
      select max(o.seq) from queue_message o
      where o.group_no = g.group_no and o.deduplication_id = d.deduplication_id and not o.is_dead) end)
  from dead_letter d join queue_group g using (group_id)
  where d.message_id = any (p_messages) and m.group_no = g.group_no and m.seq = d.message_id and m.accepted_at = d.sent_at
$$;

-- Appends up to p_max dead letters, none newer than p_newest, to their groups as new messages. Skips those whose delivery
-- arrived again in the meantime. The api reaches only the integration in scope.
create function dead_letter_redrive(
  p_group text, p_messages bigint[], p_newest bigint, p_max int, p_known_for interval
) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  groups text[];
  numbers int[];
  accept_at timestamptz;
begin
  if session_user = 'forgewatch_api' and coalesce(p_group <> scope_integration_id()::text, true) then
    return 0;
  end if;
  select array_agg(d.message_id), array_agg(distinct d.group_id) into ids, groups from (
    select * from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages))
      and d.message_id <= p_newest
    order by d.message_id limit p_max for update) d;
  if ids is null then
    return 0;
  end if;
  numbers := queue_lock_tails(groups);
  accept_at := clock_timestamp();
  with again as materialized (
    select g.group_no, t.*, nextval('queue_seq') as segment_id from (
      select distinct on (group_id, deduplication_id) * from dead_letter where message_id = any (ids)
      order by group_id, deduplication_id, message_id desc) t
    join queue_group g using (group_id)
    where not exists (
      select from queue_message o
      where o.group_no = g.group_no and o.deduplication_id = t.deduplication_id and not o.is_dead
        and o.accepted_at >= accept_at - p_known_for)
  ), segments as (
    insert into queue_segment (segment_id, accepted_at, body) select segment_id, accept_at, body from again
  )
  insert into queue_message (group_no, accepted_at, deduplication_id, segment_id, body_start, body_length)
    select group_no, accept_at, deduplication_id, segment_id, body_start, body_length from again order by message_id;
  perform dead_letter_note_end(ids, 'redriven');
  delete from dead_letter where message_id = any (ids);
  perform queue_wake(numbers, accept_at);
  return cardinality(ids);
end
$$;

create function dead_letter_drop(p_group text, p_messages bigint[]) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
begin
  if session_user = 'forgewatch_api' and coalesce(p_group <> scope_integration_id()::text, true) then
    return 0;
  end if;
  select coalesce(array_agg(d.message_id), '{}') into ids from (
    select d.message_id from dead_letter d
    where (p_group is null or d.group_id = p_group) and (p_messages is null or d.message_id = any (p_messages))
    order by d.message_id for update) d;
  perform dead_letter_note_end(ids, 'dropped');
  delete from dead_letter where message_id = any (ids);
  return cardinality(ids);
end
$$;

-- Deletes expired dead letters and payloads, up to p_max of each. Returns how many, so that the caller can continue.
create function queue_forget(p_dead interval, p_payload interval, p_max int) returns int language plpgsql
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
    select payload_id from large_payload where needed_at < clock_timestamp() - p_payload limit p_max for update skip locked);
  get diagnostics payloads = row_count;
  return cardinality(ids) + payloads;
end
$$;

revoke execute on all routines in schema public from public;
grant execute on function queue_depth(), dead_letter_redrive(text, bigint[], bigint, int, interval),
  dead_letter_drop(text, bigint[])
  to forgewatch_api, forgewatch_worker;
grant execute on function queue_forget(interval, interval, int) to forgewatch_worker;
grant select (message_id, group_id, reason, detail, sent_at, dead_at) on dead_letter to forgewatch_api, forgewatch_worker;
grant select (is_reported, body, body_start, body_length, is_own_segment), update (is_reported, body, body_start, is_own_segment)
  on dead_letter to forgewatch_worker;
grant select, update on dead_letter_alarm to forgewatch_worker;
grant select (payload_id, group_id, body), insert (payload_id, group_id, body) on large_payload
  to forgewatch_api, forgewatch_worker;
grant update (needed_at) on large_payload to forgewatch_worker;

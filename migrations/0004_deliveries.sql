-- Deliveries as people read them.

-- Results of the messages of an integration in one batch: one byte for each of `seqs`, see
-- server/deliveries/outcomes/outcome-codes.ts. One row per batch keeps the cost of a batch low.
create table delivery_outcomes (
  integration_id  uuid not null,
  last_seq        bigint not null,
  first_seq       bigint not null,
  settled_at      timestamptz not null default now(),
  seqs            bigint[] not null,
  codes           bytea not null,
  primary key (integration_id, last_seq)
);
call protect_by_integration('delivery_outcomes');

-- Deliveries that were answered without being queued: refused, or without use such as a ping. Most of these senders have
-- proved nothing, so no body is stored, and the writer and the worker limit the number of rows. The number comes from the
-- sequence of the queue, so that one number identifies one delivery and both kinds share an order.
create table unqueued_deliveries (
  integration_id     uuid not null references integrations on delete cascade,
  delivery_no        bigint not null default nextval('queue_seq'),
  received_at        timestamptz not null,
  reason             text not null,
  event              text,
  forge_delivery_id  text collate "C",
  address            text not null,
  primary key (integration_id, delivery_no)
);
call protect_by_integration('unqueued_deliveries');
create index unqueued_deliveries_by_forge_id on unqueued_deliveries (integration_id, forge_delivery_id);
create index unqueued_deliveries_by_reason on unqueued_deliveries (integration_id, reason, delivery_no);

-- Number of the first message of the integration in scope that was accepted at a time or later; past the last message when
-- there is none. Numbers and times of a group grow together unless a clock was set back, so a binary search finds it.
create function delivery_seq_at(p_at timestamptz) returns bigint language plpgsql stable
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  in_group int := (select g.group_no from queue_group g where g.group_id = scope_integration_id()::text);
  low bigint := (select m.seq from queue_message m where m.group_no = in_group order by m.seq limit 1);
  high bigint := (select m.seq + 1 from queue_message m where m.group_no = in_group order by m.seq desc limit 1);
  middle bigint;
  found_seq bigint;
  found_at timestamptz;
begin
  while low < high loop
    middle := low + (high - low) / 2;
    select m.seq, m.accepted_at into found_seq, found_at from queue_message m
      where m.group_no = in_group and m.seq >= middle order by m.seq limit 1;
    if found_at < p_at then
      low := found_seq + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end
$$;

-- The segments of messages of the integration in scope. Each may hold bodies of others: the caller opens only the places of
-- the integration's own messages, and each body in a segment names its group.
create function delivery_segments(p_seqs bigint[]) returns table (segment_id bigint, body bytea) language sql stable
security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select distinct on (s.segment_id) s.segment_id, s.body
  from queue_group g
  join queue_message m on m.group_no = g.group_no and m.seq = any (p_seqs)
  join queue_segment s on s.segment_id = m.segment_id and s.accepted_at = m.accepted_at
  where g.group_id = scope_integration_id()::text
$$;

revoke execute on all routines in schema public from public;
grant execute on function delivery_seq_at(timestamptz), delivery_segments(bigint[]) to forgewatch_api;

-- The api reads the messages of the integration in scope. Nobody else reads the log except through the queue's functions.
alter table queue_group enable row level security;
create policy by_group on queue_group for select to forgewatch_api using (group_id = (select scope_integration_id())::text);
alter table queue_message enable row level security;
create policy by_group on queue_message for select to forgewatch_api
  using (group_no = (select g.group_no from queue_group g where g.group_id = (select scope_integration_id())::text));
grant select (group_no, group_id, done_seq, lease_until, lease_hi) on queue_group to forgewatch_api;
grant select (group_no, seq, accepted_at, deduplication_id, is_dead, segment_id, body_start, body_length, dead_letter_end)
  on queue_message to forgewatch_api;
grant usage on sequence queue_seq to forgewatch_api;
grant select, insert on unqueued_deliveries to forgewatch_api;
grant select on delivery_outcomes to forgewatch_api;
grant select, insert, delete on delivery_outcomes to forgewatch_worker;
grant select, delete on unqueued_deliveries to forgewatch_worker;

-- The worker asks whether there is something to reap or to expire.
create policy worker_asks on queue_group for select to forgewatch_worker using (true);
grant select (lease_until, head_at) on queue_group to forgewatch_worker;

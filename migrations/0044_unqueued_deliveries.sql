-- Deliveries to an integration that were answered without being queued: refused, or of no use, such as a ping. Most senders
-- have proved nothing, so no body is kept, and the writer and the worker bound how many there are. The number comes from the
-- sequence of the queue: one number names one delivery, and both kinds share an order.
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

grant usage on sequence queue_seq to forgewatch_api;
grant select, insert on unqueued_deliveries to forgewatch_api;
grant select, delete on unqueued_deliveries to forgewatch_worker;

-- The messages whose delivery id lies in a range, in no order: both indexes stop after p_limit of them.
drop function delivery_find(text, int);
create function delivery_find(p_from text, p_to text, p_limit int) returns table (seq bigint)
language plpgsql stable security definer set search_path = public, pg_temp
-- How many ids lie in a range is known for the range alone, and not for all ranges.
set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  g int := (select q.group_no from queue_group q where q.group_id = scope_integration_id()::text);
begin
  return query
    (select m.seq from queue_message m where m.group_no = g and not m.is_dead
       and m.deduplication_id >= p_from collate "C" and m.deduplication_id < p_to collate "C" limit p_limit)
    union all
    (select m.seq from queue_message m where m.group_no = g and m.is_dead
       and m.deduplication_id >= p_from collate "C" and m.deduplication_id < p_to collate "C" limit p_limit);
end
$$;

-- A payload that lies apart, in parts: whole, it would hold up the process that decodes it.
drop function delivery_payload(uuid);
create function delivery_payload_part(p_payload uuid, p_start int, p_length int) returns bytea language sql
stable security definer set search_path = public, pg_temp as $$
  select substr(l.body, p_start, p_length) from large_payload l
  where l.payload_id = p_payload and l.group_id = scope_integration_id()::text
$$;

revoke execute on function delivery_find(text, text, int), delivery_payload_part(uuid, int, int) from public;
grant execute on function delivery_find(text, text, int), delivery_payload_part(uuid, int, int) to forgewatch_api;

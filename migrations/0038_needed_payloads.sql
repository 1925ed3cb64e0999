-- A large payload is kept as long as something refers to it: since a worker last read it, as it does for each message that is
-- redriven or replayed, or came late by way of another queue.
alter table large_payload rename column stored_at to needed_at;
alter index large_payload_stored_at rename to large_payload_needed_at;

create or replace function large_payload_load(p_group text, p_payload uuid) returns bytea language sql volatile
security definer set search_path = public, pg_temp as $$
  update large_payload l set needed_at = clock_timestamp()
  where l.payload_id = p_payload and l.group_id = p_group returning l.body
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
    select payload_id from large_payload where needed_at < clock_timestamp() - p_payload limit p_max for update skip locked);
  get diagnostics payloads = row_count;
  return cardinality(ids) + payloads;
end
$$;

-- Who deletes an integration waits for the batch and for the evaluation of alerts that are under way, before it locks the
-- row of the integration: both hold rows that go with it, and may still refer to it with a foreign key. Without this
-- order each would wait for the other. The api may not lock counters, hence SECURITY DEFINER.
create function hold_writers_of_integration() returns void language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  -- The lock of `lockEvaluation` (server/alerts/evaluation/completion-store.ts).
  perform pg_advisory_xact_lock(hashtextextended('alerts ' || public.scope_integration_id()::text, 0));
  perform from public.realtime_stream where integration_id = public.scope_integration_id() for update;
end
$$;
revoke execute on function hold_writers_of_integration() from public;
grant execute on function hold_writers_of_integration() to forgewatch_api;

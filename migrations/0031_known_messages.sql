-- What the log knows of deliveries, in the order given: whether one is pending or was processed since p_known_for, and how
-- often it died. For an engine that must decide before anything is appended.
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
revoke execute on function queue_known(text[], text[], interval) from public;
grant execute on function queue_known(text[], text[], interval) to forgewatch_api, forgewatch_worker;

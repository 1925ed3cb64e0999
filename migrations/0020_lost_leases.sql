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
grant execute on function queue_give_back_lost(uuid[]) to forgewatch_worker;

-- Ends a lease with nothing done: its groups go to the end of the line, and no message is blamed. Groups that are no longer
-- leased to the caller are left alone.
create function queue_give_back(p_lease uuid, p_groups int[]) returns void language sql
security definer set search_path = public, pg_temp as $$
  update queue_group set ready_at = clock_timestamp(), lease = null, lease_until = null
  where group_no = any (p_groups) and lease = p_lease
$$;
revoke execute on function queue_give_back(uuid, int[]) from public;
grant execute on function queue_give_back(uuid, int[]) to forgewatch_worker;

-- A letter is opened as the delivery that it was.
drop function dead_letter_read(bigint);

-- The api touches dead letters of the integration in scope alone. Operators' commands and the worker, which serve all
-- integrations, sign in as another role.
create function may_touch_group(p_group text) returns boolean language sql stable
  return session_user <> 'forgewatch_api' or coalesce(p_group = scope_integration_id()::text, false);
revoke execute on function may_touch_group(text) from public;

create or replace function dead_letter_list(p_group text, p_after bigint, p_limit int)
returns table (message_id bigint, group_id text, reason text, detail text, sent_at timestamptz, dead_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.message_id, d.group_id, d.reason, d.detail, d.sent_at, d.dead_at from dead_letter d
  where may_touch_group(p_group) and (p_group is null or d.group_id = p_group)
    and (p_after is null or d.message_id > p_after)
  order by d.message_id limit p_limit
$$;

alter function dead_letter_redrive(text, bigint[], bigint, int, interval) rename to dead_letter_redrive_unchecked;
alter function dead_letter_drop(text, bigint[]) rename to dead_letter_drop_unchecked;
revoke execute on function dead_letter_redrive_unchecked(text, bigint[], bigint, int, interval),
  dead_letter_drop_unchecked(text, bigint[]) from forgewatch_api, forgewatch_worker;
create function dead_letter_redrive(p_group text, p_messages bigint[], p_newest bigint, p_max int, p_known_for interval)
returns int language sql security definer set search_path = public, pg_temp as $$
  select case when may_touch_group(p_group)
    then dead_letter_redrive_unchecked(p_group, p_messages, p_newest, p_max, p_known_for) else 0 end
$$;
create function dead_letter_drop(p_group text, p_messages bigint[]) returns int language sql
security definer set search_path = public, pg_temp as $$
  select case when may_touch_group(p_group) then dead_letter_drop_unchecked(p_group, p_messages) else 0 end
$$;
revoke execute on function dead_letter_redrive(text, bigint[], bigint, int, interval), dead_letter_drop(text, bigint[])
  from public;
grant execute on function dead_letter_redrive(text, bigint[], bigint, int, interval), dead_letter_drop(text, bigint[])
  to forgewatch_api, forgewatch_worker;

-- Counts by integration are for the alarm.
revoke execute on function dead_letter_summary() from forgewatch_api;

-- Which integrations have rules: the api sees and changes that of the scope, the worker reads all.
alter table alert_interest enable row level security;
create policy by_group on alert_interest to forgewatch_api
  using (group_id = (select scope_integration_id())) with check (group_id = (select scope_integration_id()));
create policy worker_lists on alert_interest for select to forgewatch_worker using (true);

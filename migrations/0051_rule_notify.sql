-- Rules say whether they speak once for an incident or at every failure of it. A message about a later failure is a kind of
-- its own, so that receivers can tell it from the first.
update notification_rules set definition = definition || '{"notify": "incident"}';
alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('opened', 'repeated', 'recovered', 'test'));
drop index notifications_of_branch;
create index notifications_of_branch on notifications (integration_id, branch_key, rule_id)
  where kind in ('opened', 'repeated');

-- Which delivery told of what ended, and when it was received: null for what was found, read from history or replayed, of
-- which only what ended lately counts.
alter table alert_candidates add delivery_seq bigint, add received_at timestamptz;

-- What the rules said to a delivery. Whether its messages were sent stands with the messages.
create table delivery_evaluations (
  integration_id  uuid not null,
  seq             bigint not null,
  evaluated_at    timestamptz not null default now(),
  evaluation      jsonb not null,
  primary key (integration_id, seq)
);
call protect_by_integration('delivery_evaluations');
grant select, insert, delete on delivery_evaluations to forgewatch_worker;
grant select on delivery_evaluations to forgewatch_api;

-- Whether a delivery of the integration in scope still waits for the rules.
create function delivery_waits_for_rules(p_seq bigint) returns boolean language sql
stable security definer set search_path = public, pg_temp as $$
  select exists (select from alert_candidates where group_id = scope_integration_id() and delivery_seq = p_seq)
$$;
revoke execute on function delivery_waits_for_rules(bigint) from public;
grant execute on function delivery_waits_for_rules(bigint) to forgewatch_api;

-- Live updates (design of realtime): a counter per integration, pointers to what changed, and who is connected where.

-- `seq` grows by one with each update of the integration; `epoch` tells clients that the counter restarted.
-- Locking the row also makes a transaction the only writer of that integration.
create table realtime_stream (
  integration_id  uuid primary key references integrations on delete cascade,
  epoch           text not null default substr(md5(gen_random_uuid()::text), 1, 8),
  seq             bigint not null default 0
) with (fillfactor = 50);
call protect_by_integration('realtime_stream');
insert into realtime_stream (integration_id) select integration_id from integrations;

-- Made with the integration, so that writers never have to create one under their locks.
create function make_realtime_stream() returns trigger language plpgsql as $$
begin
  insert into realtime_stream (integration_id) values (new.integration_id);
  return null;
end
$$;
create trigger integrations_stream after insert on integrations
  for each row execute function make_realtime_stream();

create type realtime_update as enum ('workflow_run', 'workflow_job');

-- The half hour a row belongs to, in a ring of four: at least an hour stays readable while one slot is emptied.
create function realtime_outbox_slot(at timestamptz) returns smallint language sql immutable parallel safe
  return (floor(extract(epoch from at) / 1800)::bigint % 4)::smallint;

-- Pointers, not payloads: a node that catches up reads the current objects. A ring of fixed partitions needs no
-- partition made in time, so that a late clean-up can never refuse an event; emptying one costs the same for any number of rows.
create table realtime_outbox (
  integration_id  uuid not null,
  seq             bigint not null,
  run_id          bigint not null,
  job_id          bigint,
  at              timestamptz not null default now(),
  attempt         integer not null,
  type            realtime_update not null,
  slot            smallint not null default realtime_outbox_slot(now()),
  epoch           text not null
) partition by list (slot);
-- Not unique: a counter that restarted must never refuse an event. Readers ask for the epoch as well.
create index realtime_outbox_by_seq on realtime_outbox (integration_id, seq);
create table realtime_outbox_0 partition of realtime_outbox for values in (0);
create table realtime_outbox_1 partition of realtime_outbox for values in (1);
create table realtime_outbox_2 partition of realtime_outbox for values in (2);
create table realtime_outbox_3 partition of realtime_outbox for values in (3);
call protect_by_integration('realtime_outbox');
call protect_by_integration('realtime_outbox_0');
call protect_by_integration('realtime_outbox_1');
call protect_by_integration('realtime_outbox_2');
call protect_by_integration('realtime_outbox_3');

-- Empties the slot that is used next. The service owns no table, hence SECURITY DEFINER; it gives up quickly when
-- somebody reads the slot and is called again a minute later.
create function trim_realtime_outbox() returns void language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  stale regclass := format('public.realtime_outbox_%s', (public.realtime_outbox_slot(now()) + 1) % 4)::regclass;
begin
  if pg_relation_size(stale) > 0 then
    execute format('truncate %s', stale);
  end if;
end
$$;
revoke execute on function trim_realtime_outbox() from public;

-- One row a process that holds sockets. A node that stops renewing its lease is removed by any other, and its
-- connections with it; both tables may be lost with the server's memory, the nodes then write them again.
create unlogged table ws_node (
  node_id      uuid primary key,
  started_at   timestamptz not null default now(),
  lease_until  timestamptz not null
) with (fillfactor = 50);

create unlogged table ws_connection (
  connection_id   uuid not null,
  integration_id  uuid not null,
  user_id         uuid not null,
  node_id         uuid not null references ws_node on delete cascade,
  connected_at    timestamptz not null default now(),
  primary key (connection_id, integration_id)
);
create index ws_connection_by_integration on ws_connection (integration_id);
create index ws_connection_by_user on ws_connection (user_id);
create index ws_connection_by_node on ws_connection (node_id);
call protect_by_integration('ws_connection');

-- Tokens that were used, when each may be used only once.
create table ws_token_use (
  jti            text primary key,
  connection_id  uuid not null,
  expires_at     timestamptz not null
);
create index ws_token_use_by_expiry on ws_token_use (expires_at);

grant select, insert on realtime_stream to forgewatch_api;
grant select, update on realtime_stream to forgewatch_worker;
grant select on realtime_outbox to forgewatch_api;
grant insert on realtime_outbox to forgewatch_worker;
grant execute on function trim_realtime_outbox() to forgewatch_worker;
grant select, insert, update, delete on ws_node to forgewatch_api;
grant select, insert, delete on ws_connection, ws_token_use to forgewatch_api;

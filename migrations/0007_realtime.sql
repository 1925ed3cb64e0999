-- Live updates: a counter per integration, pointers to what changed, and which node serves which connection.

create table realtime_stream (
  integration_id  uuid primary key references integrations on delete cascade,
  -- Changes when the counter restarts.
  epoch           text not null default substr(md5(gen_random_uuid()::text), 1, 8),
  -- Grows by one with each update. Locking the row makes a transaction the only writer of the integration.
  seq             bigint not null default 0,
  -- Counts the removals of members. A removal and a batch of events both lock the row. So each update knows how many
  -- removals precede it, and a node that sends it knows whether it has compared its sockets with the memberships since.
  removals        bigint not null default 0,
  -- Grows with every transaction that stores events, including those without an update. Lists and dashboards can be
  -- cached until it changes.
  changes         bigint not null default 0
) with (fillfactor = 50);
call protect_by_integration('realtime_stream');

-- Created with the integration, so that writers never have to create one under their locks. A trigger, because no
-- integration can be without its stream.
create function make_realtime_stream() returns trigger language plpgsql as $$
begin
  insert into realtime_stream (integration_id) values (new.integration_id);
  return null;
end
$$;
create trigger integrations_stream after insert on integrations
  for each row execute function make_realtime_stream();

create type realtime_update as enum ('workflow_run', 'workflow_job');

-- Pointers, not payloads: a node that catches up reads the current objects. A ring of fixed partitions never needs a new
-- one in time, so a late clean-up cannot refuse an event. Emptying a slot costs the same for any number of rows.
create table realtime_outbox (
  integration_id  uuid not null,
  seq             bigint not null,
  run_id          bigint not null,
  job_id          bigint,
  at              timestamptz not null default now(),
  attempt         integer not null,
  type            realtime_update not null,
  -- The half hour of the row, in a ring of four: at least an hour stays readable while one slot is emptied.
  slot            smallint not null default (floor(extract(epoch from now()) / 1800)::bigint % 4)::smallint,
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

-- One row per process that holds sockets. A node whose lease ends is removed by any other, together with its connections.
-- Both tables may be lost in a crash of the database; the nodes then write them again.
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
  primary key (integration_id, connection_id)
);
create index ws_connection_by_user on ws_connection (user_id);
create index ws_connection_by_node on ws_connection (node_id);
call protect_by_integration('ws_connection');

revoke execute on all routines in schema public from public;
grant select, insert, update (removals, changes) on realtime_stream to forgewatch_api;
grant select, update on realtime_stream to forgewatch_worker;
grant select on realtime_outbox to forgewatch_api;
grant insert on realtime_outbox to forgewatch_worker;
grant truncate on realtime_outbox_0, realtime_outbox_1, realtime_outbox_2, realtime_outbox_3 to forgewatch_worker;
grant select, insert, update, delete on ws_node to forgewatch_api;
grant select, insert, delete on ws_connection to forgewatch_api;
grant update (connected_at) on ws_connection to forgewatch_api;
-- Member sync ends the access of former members.
grant select (integration_id, user_id), delete on ws_connection to forgewatch_worker;

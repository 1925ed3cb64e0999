-- What people should know of an integration: failed runs, incidents, dead letters and changes by members.
create table event_log (
  integration_id  uuid not null,
  entry_id        uuid not null default gen_random_uuid(),
  at              timestamptz not null default now(),
  type            text not null,
  severity        text not null check (severity in ('info', 'warning', 'error')),
  title           text not null,
  -- The member who acted; kept when the user is deleted. Null for the service itself.
  actor_id        uuid,
  details         jsonb not null default '{}',
  primary key (integration_id, entry_id)
);
call protect_by_integration('event_log');
create index event_log_newest on event_log (integration_id, at desc, entry_id desc);
-- Entries about failed runs are deleted with their deliveries, unlike actions of people.
create index event_log_failed_runs on event_log (integration_id, at) where type = 'run.failed';

-- "Mark all read" moves the watermark of a member. Marks store single entries that differ from it. A row for each entry
-- and reader would grow with both.
create table event_log_read_until (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  until           timestamptz not null,
  primary key (integration_id, user_id)
);
call protect_by_integration('event_log_read_until');

create table event_log_marks (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  entry_id        uuid not null,
  is_read         boolean not null,
  primary key (integration_id, user_id, entry_id)
);
call protect_by_integration('event_log_marks');

grant select, insert on event_log to forgewatch_api;
grant select, insert, update, delete on event_log_read_until, event_log_marks to forgewatch_api;
grant select, insert, delete on event_log to forgewatch_worker;

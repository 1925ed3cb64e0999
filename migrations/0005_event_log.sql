-- What people should know happened in an integration: dead letters now; failures, alerts and changes as they come.
create table event_log (
  integration_id  uuid not null,
  entry_id        uuid not null default gen_random_uuid(),
  at              timestamptz not null default now(),
  type            text not null,
  severity        text not null check (severity in ('info', 'warning', 'error')),
  title           text not null,
  -- Who did it; kept when the person is gone. Null for the service itself.
  actor_id        uuid,
  details         jsonb not null default '{}',
  primary key (integration_id, entry_id)
);
call protect_by_integration('event_log');
create index event_log_newest on event_log (integration_id, at desc, entry_id desc);

grant select, insert on event_log to forgewatch_api, forgewatch_worker;

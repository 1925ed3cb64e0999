-- Rules that watch runs and jobs, what they found red, and what was sent about it.

create table notification_rules (
  integration_id  uuid not null references integrations on delete cascade,
  rule_id         uuid not null default gen_random_uuid(),
  name            text not null,
  enabled         boolean not null,
  -- Events, conclusions, globs and the rest of contract/alerts.ts: read whole, never searched.
  definition      jsonb not null,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (integration_id, rule_id)
);
call protect_by_integration('notification_rules');

-- Where a rule sends to. URL and signing secret are sealed; `target` is the part that may be shown.
create table notification_channels (
  integration_id  uuid not null,
  channel_id      uuid not null default gen_random_uuid(),
  rule_id         uuid not null,
  position        integer not null,
  type            text not null check (type in ('email', 'slack', 'teams', 'discord', 'webhook')),
  recipients      text[],
  target          text not null,
  sealed_url      bytea,
  sealed_secret   bytea,
  primary key (integration_id, channel_id),
  foreign key (integration_id, rule_id) references notification_rules on delete cascade
);
call protect_by_integration('notification_channels');
create index notification_channels_by_rule on notification_channels (integration_id, rule_id, position);

-- A workflow that is red on a branch. `branch_key` is a hash of repository, workflow and branch: together they can be
-- longer than an index takes. last_run_id and last_attempt are the newest failure: only a newer success ends it.
create table incidents (
  integration_id    uuid not null references integrations on delete cascade,
  incident_id       uuid not null default gen_random_uuid(),
  branch_key        bytea not null,
  repository        text not null,
  workflow          text,
  branch            text,
  opened_at         timestamptz not null,
  closed_at         timestamptz,
  closed_by_run_id  bigint,
  failed_runs       integer not null,
  failed_jobs       integer not null,
  first_failure     jsonb not null,
  last_failure      jsonb not null,
  last_run_id       bigint not null,
  last_attempt      integer not null,
  primary key (integration_id, incident_id)
);
call protect_by_integration('incidents');
create unique index incidents_one_open on incidents (integration_id, branch_key) where closed_at is null;
create index incidents_newest on incidents (integration_id, opened_at desc, incident_id desc);

-- What was counted on an incident, so that a repetition is not.
create table incident_failures (
  integration_id  uuid not null,
  incident_id     uuid not null,
  run_id          bigint not null,
  attempt         integer not null,
  -- 0 for the run itself.
  job_id          bigint not null,
  primary key (integration_id, incident_id, run_id, attempt, job_id),
  foreign key (integration_id, incident_id) references incidents on delete cascade
);
call protect_by_integration('incident_failures');

-- The newest success of each workflow on each branch that rules watch: a failure older than it is history.
create table branch_successes (
  integration_id  uuid not null references integrations on delete cascade,
  branch_key      bytea not null,
  run_id          bigint not null,
  attempt         integer not null,
  at              timestamptz not null default now(),
  primary key (integration_id, branch_key)
) with (fillfactor = 80);
call protect_by_integration('branch_successes');

-- One message on one channel: what is to be sent and what became of it. `failure_at` is the clock of the cooldown.
create table notifications (
  integration_id   uuid not null,
  notification_id  uuid not null default gen_random_uuid(),
  rule_id          uuid not null,
  channel_id       uuid not null,
  incident_id      uuid,
  branch_key       bytea,
  kind             text not null check (kind in ('opened', 'recovered', 'test')),
  status           text not null check (status in ('waiting', 'sent', 'failed', 'held_back')),
  channel_type     text not null,
  target           text not null,
  failure_at       timestamptz,
  status_code      integer,
  problem          text,
  created_at       timestamptz not null default now(),
  sent_at          timestamptz,
  primary key (integration_id, notification_id),
  foreign key (integration_id, rule_id) references notification_rules on delete cascade,
  foreign key (integration_id, incident_id) references incidents on delete cascade
);
call protect_by_integration('notifications');
create index notifications_of_rule on notifications (integration_id, rule_id, created_at desc, notification_id desc);
create index notifications_of_branch on notifications (integration_id, branch_key, rule_id) where kind = 'opened';
create index notifications_of_incident on notifications (integration_id, incident_id);

-- The next three tables hold ids alone and only the worker reads them, across integrations: no policy, hence group_id.

-- Integrations that have rules: the others pay nothing for alerts.
create table alert_interest (group_id uuid primary key references integrations on delete cascade);

-- Runs and jobs that ended, written with them in one transaction and in its order, for the rules to be evaluated after it.
create table alert_candidates (
  candidate_id  bigint generated always as identity primary key,
  group_id      uuid not null,
  run_id        bigint not null,
  attempt       integer not null,
  job_id        bigint
);
create index alert_candidates_by_group on alert_candidates (group_id, candidate_id);

-- When a message is to be sent next; no row when it was or never will be.
create table alert_outbox (
  notification_id  uuid primary key,
  group_id         uuid not null,
  due_at           timestamptz not null
);
create index alert_outbox_due on alert_outbox (group_id, due_at);

create function announce_alert_interest() returns trigger language plpgsql as $$
begin
  perform pg_notify('alert_interest_changed', '');
  return null;
end
$$;
create trigger alert_interest_changed after insert or delete on alert_interest
  for each row execute function announce_alert_interest();

grant select, insert, update, delete on notification_rules, notification_channels to forgewatch_api;
grant select, insert, delete on alert_interest to forgewatch_api;
grant select on incidents to forgewatch_api;
grant select, insert on notifications to forgewatch_api;
grant select on notification_rules, notification_channels, alert_interest to forgewatch_worker;
grant select, insert, update, delete on incidents, branch_successes, alert_outbox, notifications to forgewatch_worker;
grant select, insert on incident_failures to forgewatch_worker;
grant select, insert, delete on alert_candidates to forgewatch_worker;

-- Notification rules, the incidents that they found, and the notifications about them.

create table notification_rules (
  integration_id  uuid not null references integrations on delete cascade,
  rule_id         uuid not null default gen_random_uuid(),
  name            text not null,
  enabled         boolean not null,
  -- See contract/alerts/alerts.ts. Read as a whole and never searched.
  definition      jsonb not null,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (integration_id, rule_id)
);
call protect_by_integration('notification_rules');

-- Where a rule sends to. URL and signing secret are encrypted; `target` is the part that may be shown.
create table notification_channels (
  integration_id  uuid not null,
  channel_id      uuid not null default gen_random_uuid(),
  rule_id         uuid not null,
  position        integer not null,
  type            text not null check (type in ('email', 'owner', 'slack', 'teams', 'discord', 'webhook')),
  recipients      text[],
  target          text not null,
  sealed_url      bytea,
  sealed_secret   bytea,
  primary key (integration_id, channel_id),
  foreign key (integration_id, rule_id) references notification_rules on delete cascade
);
call protect_by_integration('notification_channels');
create index notification_channels_by_rule on notification_channels (integration_id, rule_id, position);

-- A workflow that is broken on a branch. `branch_key` is a hash of repository, workflow and branch, which together may
-- exceed the size of an index entry.
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
  -- Incremented by each action of a person, so that two people at once cannot overwrite each other.
  version           integer not null default 1,
  acknowledged_at   timestamptz,
  acknowledged_by   uuid,
  assignee_id       uuid,
  snoozed_until     timestamptz,
  -- `closed`: by a person, `pull_request_closed`: by itself, `hidden`: a person hid its workflow.
  close_reason      text check (close_reason in (
                      'recovered', 'closed', 'pull_request_closed', 'default_branch_changed', 'hidden', 'superseded')),
  closed_by         uuid,
  close_note        text check (char_length(close_note) <= 500),
  -- What the rule watches that opened it. For kinds other than `failure`, `branch_key` is a hash of kind and subject.
  kind              text not null default 'failure'
                    check (kind in ('failure', 'did_not_run', 'queued_too_long', 'got_slower', 'test_broken', 'test_flaky')),
  -- The label that jobs wait for, the job that got slower, or the first of the tests that changed in a run.
  subject           text,
  primary key (integration_id, incident_id),
  foreign key (integration_id, assignee_id) references memberships on delete set null (assignee_id),
  check ((closed_at is null) = (close_reason is null))
);
call protect_by_integration('incidents');
create index incidents_by_assignee on incidents (integration_id, assignee_id) where assignee_id is not null;
create index incidents_of_watches on incidents (integration_id) where kind <> 'failure' and closed_at is null;
-- The failures of a closed incident do not open another one.
create index incidents_closed_by_people on incidents (integration_id, branch_key) where close_reason = 'closed';
create unique index incidents_one_open on incidents (integration_id, branch_key) where closed_at is null;
create index incidents_newest on incidents (integration_id, opened_at desc, incident_id desc);

-- Who is responsible for a workflow: a member or a mail address.
create table workflow_owners (
  integration_id  uuid not null references integrations on delete cascade,
  repository      text not null,
  -- Empty: all workflows of the repository that have no owner of their own.
  workflow        text not null,
  user_id         uuid,
  email           text,
  set_at          timestamptz not null default now(),
  set_by          uuid references users on delete set null,
  primary key (integration_id, repository, workflow),
  foreign key (integration_id, user_id) references memberships on delete cascade,
  check (num_nonnulls(user_id, email) = 1)
);
call protect_by_integration('workflow_owners');
create index workflow_owners_by_member on workflow_owners (integration_id, user_id) where user_id is not null;
create index workflow_owners_by_person on workflow_owners (set_by);

-- Failures that an incident has counted, so that a repetition is not counted, and a success that arrives late takes out what was before it.
create table incident_failures (
  integration_id  uuid not null,
  incident_id     uuid not null,
  run_id          bigint not null,
  attempt         integer not null,
  -- 0 for the run itself.
  job_id          bigint not null,
  failure         jsonb not null,
  primary key (integration_id, incident_id, run_id, attempt, job_id),
  foreign key (integration_id, incident_id) references incidents on delete cascade
);
call protect_by_integration('incident_failures');
-- For runs that were counted as failed before it was known that a newer one superseded them.
create index incident_failures_by_run on incident_failures (integration_id, run_id);

-- The newest success of each workflow on each default branch, and on the branches that rules watch. Older failures are ignored.
create table branch_successes (
  integration_id  uuid not null references integrations on delete cascade,
  branch_key      bytea not null,
  run_id          bigint not null,
  attempt         integer not null,
  at              timestamptz not null default now(),
  primary key (integration_id, branch_key)
) with (fillfactor = 80);
call protect_by_integration('branch_successes');

-- Branches whose pull request was closed. Failures of runs that were created until `ended_at`, by the forge's clock, are ignored.
-- `place_key` is a hash of repository and branch.
create table branch_ends (
  integration_id  uuid not null references integrations on delete cascade,
  place_key       bytea not null,
  ended_at        timestamptz not null,
  at              timestamptz not null default now(),
  primary key (integration_id, place_key)
) with (fillfactor = 80);
call protect_by_integration('branch_ends');

-- The newest success of each job whose run is unknown. Older failures are ignored. `job_key` is a hash of repository,
-- workflow, branch and job.
create table job_successes (
  integration_id  uuid not null references integrations on delete cascade,
  job_key         bytea not null,
  run_id          bigint not null,
  attempt         integer not null,
  at              timestamptz not null default now(),
  primary key (integration_id, job_key)
) with (fillfactor = 80);
call protect_by_integration('job_successes');

-- A task for each one that waits sends it.
create table notifications (
  integration_id   uuid not null,
  notification_id  uuid not null default gen_random_uuid(),
  rule_id          uuid not null,
  channel_id       uuid not null,
  incident_id      uuid,
  branch_key       bytea,
  -- `repeated` is a later failure of an incident, for rules that notify about every failure.
  kind             text not null check (kind in ('opened', 'repeated', 'recovered', 'digest', 'test')),
  status           text not null check (status in ('waiting', 'sent', 'failed', 'held_back')),
  channel_type     text not null,
  target           text not null,
  -- The clock of the cooldown. When a digest was due.
  failure_at       timestamptz,
  status_code      integer,
  problem          text,
  created_at       timestamptz not null default now(),
  sent_at          timestamptz,
  -- The failure that matched the rule, which need not be the one that opened the incident. Null unless the kind is a failure.
  failure          jsonb,
  -- What a digest says, see contract/alerts/digest.ts. Null for other kinds.
  digest           jsonb,
  primary key (integration_id, notification_id),
  foreign key (integration_id, rule_id) references notification_rules on delete cascade,
  foreign key (integration_id, incident_id) references incidents on delete cascade
);
call protect_by_integration('notifications');
create index notifications_of_rule on notifications (integration_id, rule_id, created_at desc, notification_id desc);
create index notifications_of_branch on notifications (integration_id, branch_key, rule_id)
  where kind in ('opened', 'repeated');
create index notifications_of_incident on notifications (integration_id, incident_id);

-- Test notifications of the last hour, which are limited: one row per test with its number of messages. Separate from the
-- notifications, which are deleted with their rule.
create table test_sends (
  integration_id  uuid not null references integrations on delete cascade,
  sent_at         timestamptz not null default clock_timestamp(),
  messages        integer not null
);
call protect_by_integration('test_sends');
create index test_sends_newest on test_sends (integration_id, sent_at);

-- Which rules matched a delivery. The notifications say whether they were sent.
create table delivery_evaluations (
  integration_id  uuid not null,
  seq             bigint not null,
  evaluated_at    timestamptz not null default now(),
  evaluation      jsonb not null,
  primary key (integration_id, seq)
);
call protect_by_integration('delivery_evaluations');

-- The worker reads the next three tables across integrations, hence group_id. The api reaches only the integration in
-- scope of the first two, and not the third.

-- Integrations with rules. Of the others only runs of default branches are evaluated.
create table integrations_with_rules (
  group_id  uuid primary key references integrations on delete cascade
);
alter table integrations_with_rules enable row level security;
create policy by_group on integrations_with_rules to forgewatch_api
  using (group_id = (select scope_integration_id())) with check (group_id = (select scope_integration_id()));
create policy worker_lists on integrations_with_rules to forgewatch_worker using (true) with check (true);

-- Completions to evaluate, inserted in the transaction that stores them and in its order.
create table pending_evaluations (
  evaluation_id bigint generated always as identity primary key,
  group_id      uuid not null,
  run_id        bigint not null,
  -- 0 for no completion: a late event named the fork of the run, and what was counted without the name moves to its branch.
  attempt       integer not null,
  job_id        bigint,
  -- Since when a job waits for its run. Only the run knows the branch, and a fork's branch must not be mistaken for ours.
  noted_at      timestamptz not null default now(),
  -- The delivery that reported the completion and when it arrived. Null for completions from history, checks or replays, of
  -- which only recent ones count.
  delivery_seq  bigint,
  received_at   timestamptz,
  -- Only this rule evaluates it: the rule was saved after the failure. The zero id: no rule, it only counts for an incident.
  rule_id       uuid
);
create index pending_evaluations_by_group on pending_evaluations (group_id, evaluation_id);
alter table pending_evaluations enable row level security;
create policy by_group on pending_evaluations to forgewatch_api
  using (group_id = (select scope_integration_id())) with check (group_id = (select scope_integration_id()));
create policy worker_evaluates on pending_evaluations to forgewatch_worker using (true) with check (true);

-- Closed pull requests, and branches that were the default branch, whose incidents are to be closed. Inserted in the transaction that
-- stores the event.
create table pending_branch_ends (
  branch_end_id bigint generated always as identity primary key,
  group_id      uuid not null,
  repository    text not null,
  number        bigint,
  branch        text,
  check ((number is null) <> (branch is null))
);
create index pending_branch_ends_by_group on pending_branch_ends (group_id, branch_end_id);
alter table pending_branch_ends enable row level security;
create policy worker_evaluates on pending_branch_ends to forgewatch_worker using (true) with check (true);

revoke execute on all routines in schema public from public;
grant select, insert, update, delete on notification_rules, notification_channels to forgewatch_api;
grant select, insert, delete on integrations_with_rules, test_sends to forgewatch_api;
grant select on incidents, incident_failures, branch_successes, job_successes, branch_ends, delivery_evaluations,
  pending_evaluations to forgewatch_api;
grant insert on pending_evaluations to forgewatch_api;
grant update (version, acknowledged_at, acknowledged_by, assignee_id, snoozed_until, closed_at, close_reason, closed_by,
  close_note) on incidents to forgewatch_api;
grant select, insert on notifications to forgewatch_api;
grant select, insert, update, delete on workflow_owners to forgewatch_api;
grant select on workflow_owners to forgewatch_worker;
grant select on notification_rules, notification_channels, integrations_with_rules to forgewatch_worker;
grant select, insert, update, delete on incidents, branch_successes, job_successes, branch_ends, notifications
  to forgewatch_worker;
grant select, insert, delete on incident_failures to forgewatch_worker;
grant select, insert, delete on pending_evaluations, pending_branch_ends, delivery_evaluations to forgewatch_worker;

-- Mail to people about the runs that they started.

create index users_by_forge_login on users (lower(forge_login)) where forge_login is not null;

create table personal_notifications (
  user_id          uuid primary key references users on delete cascade,
  enabled          boolean not null,
  -- Null: every integration of the person, also later ones.
  integration_ids  uuid[] check (cardinality(integration_ids) <= 100),
  -- The address that the identity provider had verified when the person saved.
  email            text not null,
  -- Notifications of an hour, which begins with its first one.
  hour_began_at    timestamptz not null default '-infinity',
  sent_in_hour     integer not null default 0
);
alter table personal_notifications enable row level security;
alter table personal_notifications force row level security;
create policy own_row on personal_notifications to forgewatch_api
  using (user_id = (select scope_user_id())) with check (user_id = (select scope_user_id()));
create policy worker_notifies on personal_notifications to forgewatch_worker using (true) with check (true);

-- The newest failed run that a person was notified about, for each workflow and branch, until it succeeds. `branch_key` is a hash of
-- repository, workflow and branch.
create table personal_failures (
  integration_id  uuid not null,
  branch_key      bytea not null,
  user_id         uuid not null,
  run_id          bigint not null,
  attempt         integer not null,
  at              timestamptz not null default now(),
  primary key (integration_id, branch_key, user_id),
  foreign key (integration_id, user_id) references memberships on delete cascade
);
call protect_by_integration('personal_failures');
create index personal_failures_by_person on personal_failures (integration_id, user_id);

grant select, insert, update on personal_notifications to forgewatch_api;
grant select on personal_notifications to forgewatch_worker;
grant update (hour_began_at, sent_in_hour) on personal_notifications to forgewatch_worker;
grant select, insert, update, delete on personal_failures to forgewatch_worker;

-- Named filters of the list of runs. They are deleted with the membership, and a user who joins again has none.
create table saved_views (
  integration_id  uuid not null,
  view_id         uuid not null default gen_random_uuid(),
  user_id         uuid not null,
  name            text not null,
  -- A query of the list of runs (contract/monitoring.ts), always read as a whole.
  filter          json not null,
  created_at      timestamptz not null default now(),
  primary key (integration_id, view_id),
  foreign key (integration_id, user_id) references memberships on delete cascade
);
call protect_by_integration('saved_views');
create index saved_views_by_person on saved_views (integration_id, user_id);

grant select, insert, update, delete on saved_views to forgewatch_api;

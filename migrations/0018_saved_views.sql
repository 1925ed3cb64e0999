-- Filters of the list of runs that a person keeps under a name. They end with the membership: who was removed and comes
-- back later starts anew.
create table saved_views (
  integration_id  uuid not null,
  view_id         uuid not null default gen_random_uuid(),
  user_id         uuid not null,
  name            text not null,
  -- A query of the list (contract/monitoring.ts): read whole, never searched.
  filter          json not null,
  created_at      timestamptz not null default now(),
  primary key (integration_id, view_id),
  foreign key (integration_id, user_id) references memberships on delete cascade
);
call protect_by_integration('saved_views');
create index saved_views_by_person on saved_views (integration_id, user_id);

grant select, insert, update, delete on saved_views to forgewatch_api;

-- Export over OTLP of finished runs as traces, and of metrics.

create table trace_exports (
  integration_id   uuid primary key references integrations on delete cascade,
  -- Without query and credentials, so it may be shown.
  url              text not null check (char_length(url) between 1 and 2000),
  -- Encrypted JSON with names and values, because values are credentials. `header_names` is the part that may be shown.
  sealed_headers   bytea not null,
  header_names     text[] not null check (cardinality(header_names) <= 10),
  enabled          boolean not null,
  metrics          boolean not null,
  saved_at         timestamptz not null,
  -- Since the settings were saved.
  last_success_at  timestamptz,
  last_failure_at  timestamptz,
  last_problem     text,
  -- Whether the event log says that it fails.
  is_failing       boolean not null default false,
  -- The same for metrics.
  metrics_last_success_at  timestamptz,
  metrics_last_failure_at  timestamptz,
  metrics_last_problem     text,
  metrics_is_failing       boolean not null default false,
  -- When the next request may be sent, and requests that failed since the last one that succeeded.
  due_at    timestamptz not null default now(),
  failures  integer not null default 0,
  -- Runs of the next request. Fewer after the target refused one for its content or size.
  at_most   integer not null,
  -- The same for metrics.
  metrics_due_at    timestamptz not null default now(),
  metrics_failures  integer not null default 0
);
call protect_by_integration('trace_exports');

-- The worker writes the next table for several integrations at once, hence group_id. The api reaches only the integration in scope.

-- Finished runs that wait for their export, inserted in the transaction that stores the run. They have no copy of the run.
create table trace_export_runs (
  entry_id   bigint generated always as identity primary key,
  group_id   uuid not null,
  run_id     bigint not null,
  attempt    integer not null,
  -- The last job that was sent. A run with many jobs is sent in several requests.
  after_job  bigint not null default 0,
  noted_at   timestamptz not null,
  due_at     timestamptz not null,
  -- Grows with each job that completes late, so that the end of a request keeps a run that changed meanwhile.
  revision   integer not null default 0,
  unique (group_id, run_id, attempt)
);
create index trace_export_runs_due on trace_export_runs (group_id, due_at, entry_id);
create index trace_export_runs_oldest on trace_export_runs (group_id, entry_id);
alter table trace_export_runs enable row level security;
create policy by_group on trace_export_runs to forgewatch_api using (group_id = (select scope_integration_id()));
create policy worker_exports on trace_export_runs to forgewatch_worker using (true) with check (true);

grant select, insert, update, delete on trace_exports to forgewatch_api;
grant select, delete on trace_export_runs to forgewatch_api;
grant select on trace_exports to forgewatch_worker;
grant update (last_success_at, last_failure_at, last_problem, is_failing, metrics_last_success_at, metrics_last_failure_at,
  metrics_last_problem, metrics_is_failing, due_at, failures, at_most, metrics_due_at, metrics_failures) on trace_exports
  to forgewatch_worker;
grant select, insert, update, delete on trace_export_runs to forgewatch_worker;

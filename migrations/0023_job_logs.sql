-- Logs of jobs that somebody opened: a cache of what the forge has. Unlogged, because a lost row is read again.
create unlogged table job_logs (
  integration_id  uuid not null references integrations on delete cascade,
  run_id          bigint not null,
  attempt         integer not null,
  job_id          bigint not null,
  state           text not null check (state in ('waiting', 'reading', 'live', 'complete')),
  lines           integer not null default 0,
  -- As received.
  bytes           bigint not null default 0,
  stored_bytes    bigint not null default 0,
  -- What is not in it: the end, because the forge stopped sending, or because it is longer than what is kept.
  missing         text check (missing in ('end', 'limit')),
  -- Why nothing could be read: code, detail and seconds until another try.
  failure         jsonb,
  -- Steps, groups and error lines, encrypted: their titles quote the log.
  sealed_outline  bytea,
  -- A process reads the log until then.
  leased_until    timestamptz,
  -- It is read again when somebody looks at it later than this. Null: never.
  fresh_until     timestamptz,
  opened_at       timestamptz not null default now(),
  primary key (integration_id, run_id, attempt, job_id)
);
call protect_by_integration('job_logs');
create index job_logs_by_age on job_logs (integration_id, opened_at);

-- Consecutive lines, masked, compressed and encrypted.
create unlogged table job_log_parts (
  integration_id  uuid not null,
  run_id          bigint not null,
  attempt         integer not null,
  job_id          bigint not null,
  part            integer not null,
  first_line      integer not null,
  lines           integer not null,
  sealed_lines    bytea not null,
  primary key (integration_id, run_id, attempt, job_id, part),
  foreign key (integration_id, run_id, attempt, job_id) references job_logs on delete cascade
);
call protect_by_integration('job_log_parts');

-- What people and API tokens of integrations had read from forges today (UTC), for their quota.
create table log_usage (
  reader_id  uuid primary key,
  day        date not null,
  bytes      bigint not null
) with (fillfactor = 50);

grant select, insert, update, delete on job_logs, job_log_parts to forgewatch_api;
grant select, delete on job_logs, job_log_parts to forgewatch_worker;
grant select, insert, update, delete on log_usage to forgewatch_api;

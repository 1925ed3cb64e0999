-- Without events about runs, the same job in a later run or attempt resolves a job's failure. So the incident stores the job
-- of each failure; null for a run.
alter table incident_failures add name text;
update incident_failures f set name = j.name from workflow_jobs j
  where j.integration_id = f.integration_id and j.run_id = f.run_id and j.attempt = f.attempt and j.job_id = f.job_id;

-- The newest success of each job whose run is not known: a failure older than it is history. `job_key` is a hash of
-- repository, workflow, branch and job.
create table job_successes (
  integration_id  uuid not null references integrations on delete cascade,
  job_key         bytea not null,
  run_id          bigint not null,
  attempt         integer not null,
  at              timestamptz not null default now(),
  primary key (integration_id, job_key)
) with (fillfactor = 80);
call protect_by_integration('job_successes');
grant select, insert, update, delete on job_successes to forgewatch_worker;

-- What failed last is asked of the failures.
alter table incidents drop column last_run_id, drop column last_attempt;

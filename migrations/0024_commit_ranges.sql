-- Commits after the last success of a workflow up to its first failure, or between two deployments, read once from the forge.
create table commit_ranges (
  integration_id  uuid not null,
  repository      text not null,
  -- In the order of bytes, like the SHAs of runs.
  base_sha        text collate "C" not null,
  head_sha        text collate "C" not null,
  -- The first failed run. Its notifications wait for the commits. Null for those between two deployments, without their files.
  run_id          bigint,
  state           text not null default 'waiting' check (state in ('waiting', 'read', 'unreadable')),
  total           integer not null default 0,
  -- Oldest first, with the files that each changes.
  commits         jsonb not null default '[]',
  -- The newest of those that the branch itself was at: what a list of many red workflows reads.
  branch_commits  jsonb not null default '[]',
  requested_at    timestamptz not null default now(),
  read_at         timestamptz,
  primary key (integration_id, repository, base_sha, head_sha)
);
call protect_by_integration('commit_ranges');
create index commit_ranges_waiting on commit_ranges (integration_id, run_id) where state = 'waiting';
create index commit_ranges_by_age on commit_ranges (integration_id, requested_at);

grant select, insert, update on commit_ranges to forgewatch_api;
grant select, insert, update, delete on commit_ranges to forgewatch_worker;

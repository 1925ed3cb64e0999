-- The fork that the head of a run is in, as in pull_requests (0030_forks.sql). The newest event about a run or pull request of a fork names it.
alter table workflow_runs add column fork_id bigint;
create index workflow_runs_by_fork on workflow_runs (integration_id, fork_id, updated_at desc) where fork_id is not null;

-- The forge's id of the fork that the head of a pull request is in, which stays the same when the fork is renamed.
alter table pull_requests add column fork_id bigint;
create index pull_requests_by_fork on pull_requests (integration_id, fork_id) where fork_id is not null;

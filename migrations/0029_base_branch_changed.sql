-- The incident of a merge queue closes when its pull request gets another base branch.
alter table incidents drop constraint incidents_close_reason_check,
  add constraint incidents_close_reason_check check (close_reason in (
    'recovered', 'closed', 'pull_request_closed', 'default_branch_changed', 'base_branch_changed', 'hidden', 'superseded'));

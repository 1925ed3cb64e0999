-- Only the run knows the branch of a job. A completed job waits for its run for a while before the rules are evaluated, so
-- that a fork's branch is not mistaken for ours. This is the time since when it waits.
alter table alert_candidates add noted_at timestamptz not null default now();

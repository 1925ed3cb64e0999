-- Of which branch a job is, its run alone tells. A job that ended waits for its run for a while before it is held against the
-- rules, so that a fork's branch is not taken for ours: since when stands here.
alter table alert_candidates add noted_at timestamptz not null default now();

-- Hours are settled one by one, and gaps are hours, so that what was read of them can be kept in memory
-- (docs/decisions/0010-dashboards-read-buckets.md): it holds while the number of mended gaps stays.
alter table rollup_progress add version bigint not null default 0;
comment on column rollup_progress.until is 'Hours before it stay as they are, but for gaps; of those, all blocks are added up.';
comment on table rollup_gaps is 'Hours that changed after they were settled.';

-- Hours are finalized one by one, and dirty hours are single hours. Sums of finalized hours can be cached until `version`
-- changes, which counts recomputed hours (docs/decisions/0010-dashboards-read-buckets.md).
alter table rollup_progress add version bigint not null default 0;
comment on column rollup_progress.until is 'Hours before this time are finalized, and all their buckets exist.';
comment on table rollup_gaps is 'Dirty hours: they changed after they were finalized.';

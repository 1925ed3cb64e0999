-- Hours are blocks as well (docs/decisions/0010-dashboards-read-blocks.md). What is added up has none: it is made anew, and
-- read hour by hour until then.
truncate rollup_blocks, rollup_progress, rollup_gaps;
comment on table rollup_gaps is 'Hours that changed after they were added up.';

-- Counts the gaps that were mended: what was read of blocks holds while it stays.
alter table rollup_progress add version bigint not null default 0;

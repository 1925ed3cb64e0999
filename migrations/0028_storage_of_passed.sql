-- Single bits are read, so it is not compressed. Postgres 15 creates the column without it.
alter table test_reports alter passed set storage external;

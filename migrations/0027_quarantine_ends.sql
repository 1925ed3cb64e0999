-- When the newest quarantine of the test ended. A test that is broken or flaky then is news, however long ago that began.
alter table tests add column quarantine_ended_at timestamptz;

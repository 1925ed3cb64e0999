-- Test messages of the last hour, which are limited: `messages` as many as went out at once. Apart from notifications, which
-- go with their rule.
create table test_sends (
  integration_id  uuid not null references integrations on delete cascade,
  sent_at         timestamptz not null default clock_timestamp(),
  messages        integer not null
);
call protect_by_integration('test_sends');
create index test_sends_newest on test_sends (integration_id, sent_at);
grant select, insert, delete on test_sends to forgewatch_api;

-- What integrations and people have stored in a day (UTC), for their quotas. A row counts the newest day in which something was
-- stored or refused; its numbers are those of no other day.
create table integration_usage (
  integration_id  uuid primary key references integrations on delete cascade,
  day             date not null,
  -- As received, before compression.
  bytes           bigint not null,
  events          bigint not null,
  -- Webhooks and test reports that were refused because a quota was used up.
  refused         bigint not null
) with (fillfactor = 50);
call protect_by_integration('integration_usage');

-- Bytes are counted for the owner of the integration at the time. They stay counted when it is transferred or deleted.
create table person_usage (
  user_id  uuid primary key references users on delete cascade,
  day      date not null,
  bytes    bigint not null
) with (fillfactor = 50);

grant select, insert, update on integration_usage, person_usage to forgewatch_api;

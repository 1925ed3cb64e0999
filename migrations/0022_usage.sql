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

grant select, insert, update on integration_usage, person_usage to forgewatch_api, forgewatch_worker;

-- For metrics: integrations by what they stored today, and the sum of it. The caller sees no integration.
create policy owner_counts on integration_usage for select to current_user using (true);
create function count_usage() returns table (class text, integrations bigint, bytes bigint)
  language sql stable security definer set search_path = public, pg_temp as $$
  select c.class, count(u.integration_id), coalesce(sum(u.bytes), 0)::bigint
  from (values ('small', 0, 10 * 1024 ^ 2), ('medium', 10 * 1024 ^ 2, 1024 ^ 3), ('large', 1024 ^ 3, 'infinity')) c (class, least, below)
  left join integration_usage u on u.day = (now() at time zone 'UTC')::date and u.bytes > 0
    and u.bytes >= c.least and u.bytes < c.below
  group by c.class
$$;
revoke execute on function count_usage() from public;
grant execute on function count_usage() to forgewatch_worker;

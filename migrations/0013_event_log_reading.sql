-- Who has read what in the event log. A watermark each person moves with "mark all read", and the single entries they
-- marked otherwise since: a row for each entry and reader would grow with both.
create table event_log_read_until (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  until           timestamptz not null,
  primary key (integration_id, user_id)
);
call protect_by_integration('event_log_read_until');

create table event_log_marks (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  entry_id        uuid not null,
  is_read         boolean not null,
  primary key (integration_id, user_id, entry_id)
);
call protect_by_integration('event_log_marks');

grant select, insert, update, delete on event_log_read_until, event_log_marks to forgewatch_api;

-- What became of the messages of one integration in one batch: in the order of `seqs` a byte each, see
-- server/deliveries/outcomes/outcome-codes.ts. A row a batch and not one a message, as the worker writes it with every batch.
create table delivery_outcomes (
  integration_id  uuid not null,
  last_seq        bigint not null,
  first_seq       bigint not null,
  settled_at      timestamptz not null default now(),
  seqs            bigint[] not null,
  codes           bytea not null,
  primary key (integration_id, last_seq)
);
call protect_by_integration('delivery_outcomes');

grant insert, select, delete on delivery_outcomes to forgewatch_worker;
grant select on delivery_outcomes to forgewatch_api;

-- The scope says whose messages may be read: it is set once a person's role in the integration is known.
create function delivery_list(p_before bigint, p_from timestamptz, p_to timestamptz, p_limit int)
returns table (
  seq bigint, deduplication_id text, accepted_at timestamptz, is_dead boolean, is_done boolean, is_leased boolean, body bytea
) language sql stable security definer set search_path = public, pg_temp as $$
  select m.seq, m.deduplication_id, m.accepted_at, m.is_dead, m.seq <= g.done_seq,
    g.lease is not null and m.seq <= g.lease_hi, m.body
  from queue_group g
  cross join lateral (
    select * from queue_message q
    where q.group_no = g.group_no and q.seq < coalesce(p_before, 9223372036854775807)
      and q.accepted_at >= coalesce(p_from, '-infinity') and q.accepted_at < coalesce(p_to, 'infinity')
    order by q.seq desc limit p_limit
  ) m
  where g.group_id = scope_integration_id()::text
  order by m.seq desc
$$;

create function delivery_read(p_seqs bigint[])
returns table (
  seq bigint, deduplication_id text, accepted_at timestamptz, is_dead boolean, is_done boolean, is_leased boolean, body bytea
) language sql stable security definer set search_path = public, pg_temp as $$
  select m.seq, m.deduplication_id, m.accepted_at, m.is_dead, m.seq <= g.done_seq,
    g.lease is not null and m.seq <= g.lease_hi, m.body
  from queue_group g join queue_message m on m.group_no = g.group_no and m.seq = any (p_seqs)
  where g.group_id = scope_integration_id()::text
  order by m.seq desc
$$;

-- The messages that hold a delivery, newest first. The index knows those that are not dead; the letters are few.
create function delivery_find(p_delivery text, p_limit int) returns table (seq bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select m.seq from queue_group g join queue_message m on m.group_no = g.group_no
  where g.group_id = scope_integration_id()::text and m.deduplication_id = p_delivery and not m.is_dead
  union
  select d.message_id from dead_letter d
  where d.group_id = scope_integration_id()::text and d.deduplication_id = p_delivery
  order by 1 desc limit p_limit
$$;

-- Why messages are dead, as long as their letters lie there.
create function delivery_death(p_seqs bigint[]) returns table (seq bigint, reason text, detail text, dead_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.message_id, d.reason, d.detail, d.dead_at from dead_letter d
  where d.message_id = any (p_seqs) and d.group_id = scope_integration_id()::text
$$;

revoke execute on function delivery_list(bigint, timestamptz, timestamptz, int), delivery_read(bigint[]),
  delivery_find(text, int), delivery_death(bigint[]) from public;
grant execute on function delivery_list(bigint, timestamptz, timestamptz, int), delivery_read(bigint[]),
  delivery_find(text, int), delivery_death(bigint[]) to forgewatch_api;

-- Bodies too large for a message are shown from where they are kept; large_payload_load() would open those of any group.
create function delivery_payload(p_payload uuid) returns bytea language sql
stable security definer set search_path = public, pg_temp as $$
  select l.body from large_payload l where l.payload_id = p_payload and l.group_id = scope_integration_id()::text
$$;
revoke execute on function delivery_payload(uuid) from public;
grant execute on function delivery_payload(uuid) to forgewatch_api;

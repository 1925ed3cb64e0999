-- The first message of a group that was accepted at a time or later; past the last one when there is none. Numbers and times
-- of a group grow together, unless a clock was set back, so it is found in as many steps as the numbers have bits.
create function delivery_seq_at(p_group int, p_at timestamptz) returns bigint language plpgsql stable
set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  low bigint := (select m.seq from queue_message m where m.group_no = p_group order by m.seq limit 1);
  high bigint := (select m.seq + 1 from queue_message m where m.group_no = p_group order by m.seq desc limit 1);
  middle bigint;
  found_seq bigint;
  found_at timestamptz;
begin
  while low < high loop
    middle := low + (high - low) / 2;
    select m.seq, m.accepted_at into found_seq, found_at from queue_message m
      where m.group_no = p_group and m.seq >= middle order by m.seq limit 1;
    if found_at < p_at then
      low := found_seq + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end
$$;
revoke execute on function delivery_seq_at(int, timestamptz) from public;

-- Messages outside the times are not read.
create or replace function delivery_list(p_before bigint, p_from timestamptz, p_to timestamptz, p_limit int)
returns table (
  seq bigint, deduplication_id text, accepted_at timestamptz, is_dead boolean, is_done boolean, is_leased boolean, body bytea
) language sql stable security definer set search_path = public, pg_temp as $$
  select m.seq, m.deduplication_id, m.accepted_at, m.is_dead, m.seq <= g.done_seq,
    g.lease is not null and m.seq <= g.lease_hi, m.body
  from (
    select q.*, least(p_before, case when p_to is not null then delivery_seq_at(q.group_no, p_to) end) as last_seq,
      case when p_from is not null then delivery_seq_at(q.group_no, p_from) end as first_seq
    from queue_group q where q.group_id = scope_integration_id()::text offset 0
  ) g
  cross join lateral (
    select * from queue_message q
    where q.group_no = g.group_no
      and q.seq < coalesce(g.last_seq, 9223372036854775807) and q.seq >= coalesce(g.first_seq, 0)
      and q.accepted_at >= coalesce(p_from, '-infinity') and q.accepted_at < coalesce(p_to, 'infinity')
    order by q.seq desc limit p_limit
  ) m
  order by m.seq desc
$$;

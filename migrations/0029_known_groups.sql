-- Nearly all groups are known: they are looked up first, and made known only when one of them is not.
create or replace function queue_lock_tails(p_groups text[]) returns int[] language plpgsql as $$
declare
  numbers int[];
begin
  for attempt in 1..2 loop
    select array_agg(q.group_no order by u.n) into numbers
      from unnest(p_groups) with ordinality u (group_id, n) join queue_group q using (group_id);
    exit when cardinality(numbers) = cardinality(p_groups);
    insert into queue_group (group_id)
      select distinct g from unnest(p_groups) g where not exists (select from queue_group q where q.group_id = g)
      order by g on conflict do nothing;
  end loop;
  perform pg_advisory_xact_lock(4821004, tail) from (select distinct g & 255 as tail from unnest(numbers) g order by 1) t;
  return numbers;
end
$$;

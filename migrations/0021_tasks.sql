-- Background work of integrations: one row for each thing that is to be done, such as the webhooks of a receiver or the logs of a
-- connection. Kinds are described in docs/architecture/tasks.md.
create table tasks (
  integration_id  uuid not null,
  kind            text not null,
  -- What is worked on. A request for what waits already changes that row.
  key             text not null,
  task_id         uuid not null default gen_random_uuid(),
  -- Null when nothing is to be done until somebody requests it. Equals leased_until while a process works, unless somebody
  -- requests the task again.
  due_at          timestamptz,
  leased_until    timestamptz,
  -- Since when it waits, for people.
  requested_at    timestamptz not null default now(),
  facts           jsonb not null default '{}',
  failures        int not null default 0,
  -- When the first of these failures was.
  failing_since   timestamptz,
  error           text,
  primary key (integration_id, kind, key),
  unique (integration_id, task_id)
);
call protect_by_integration('tasks');
create index tasks_due on tasks (kind, due_at) include (integration_id) where due_at is not null;
-- The worker finds which integrations have tasks for an installation, and no other data of them.
create policy of_installation on tasks for select to forgewatch_worker
  using (kind like 'forge-%' and key = (select scope_installation_id())::text);

-- Wakes the processes that run tasks. A trigger, because many statements make a task due.
create trigger tasks_announced after insert or update of due_at on tasks
  for each row when (new.due_at <= now()) execute function announce('task_due');

-- The functions below look across integrations; their callers see only what they return.
create policy owner_leases on tasks to current_user using (true) with check (true);

-- Leases tasks of several kinds. For each kind: places for turns that are expected to be quick, places for slow ones, and the most
-- turns of one integration. A turn is expected to be slow when the last one failed or the integration is among p_slow. Integrations
-- with the fewest turns come first, in a random order: in a fixed one a few could use all places.
create function claim_tasks(p_kinds text[], p_quick int[], p_slow_places int[], p_most int[], p_lease_ms int,
    p_busy_kinds text[], p_busy uuid[], p_slow_kinds text[], p_slow uuid[])
  returns table (integration_id uuid, kind text, key text, facts jsonb, failures int, is_slow boolean)
  language sql security definer set search_path = public, pg_temp as $$
  with kinds as (
    select * from unnest(p_kinds, p_quick, p_slow_places, p_most) as k (kind, quick, slow_places, most)
  ), busy as (
    select b.kind, b.integration_id, count(*) as turns from unnest(p_busy_kinds, p_busy) as b (kind, integration_id) group by 1, 2
  ), slow as (
    select distinct * from unnest(p_slow_kinds, p_slow) as s (kind, integration_id)
  ), candidates as (
    select d.integration_id, k.*, t.key, t.is_slow, coalesce(b.turns, 0) + row_number() over (
      partition by k.kind, d.integration_id order by t.is_slow, t.due_at) as turn
    from kinds k
    cross join lateral (select distinct o.integration_id from tasks o where o.kind = k.kind and o.due_at <= now()) d
    left join busy b on b.kind = k.kind and b.integration_id = d.integration_id
    left join slow s on s.kind = k.kind and s.integration_id = d.integration_id
    cross join lateral (
      select o.key, o.due_at, o.failures > 0 or s.kind is not null as is_slow from tasks o
      where o.integration_id = d.integration_id and o.kind = k.kind and o.due_at <= now()
        and (o.leased_until is null or o.leased_until < now())
      order by 3, o.due_at limit greatest(0, k.most - coalesce(b.turns, 0))) t
  ), ranked as (
    select c.*, row_number() over (partition by c.kind, c.is_slow order by c.turn, random()) as rank from candidates c
  ), chosen as (
    select t.integration_id, t.kind, t.key, r.is_slow from ranked r
    join tasks t on t.integration_id = r.integration_id and t.kind = r.kind and t.key = r.key
    where r.rank <= case when r.is_slow then r.slow_places else r.quick end
      and t.due_at <= now() and (t.leased_until is null or t.leased_until < now())
    for update of t skip locked
  )
  update tasks t set leased_until = now() + p_lease_ms * interval '1 ms', due_at = now() + p_lease_ms * interval '1 ms'
    from chosen c where t.integration_id = c.integration_id and t.kind = c.kind and t.key = c.key
    returning t.integration_id, t.kind, t.key, t.facts, t.failures, c.is_slow
$$;

create function renew_tasks(p_integrations uuid[], p_kinds text[], p_keys text[], p_lease_ms int) returns void
  language sql security definer set search_path = public, pg_temp as $$
  update tasks t set leased_until = now() + p_lease_ms * interval '1 ms',
      due_at = case when t.due_at = t.leased_until then now() + p_lease_ms * interval '1 ms' else t.due_at end
    from unnest(p_integrations, p_kinds, p_keys) as l (integration_id, kind, key)
    where t.integration_id = l.integration_id and t.kind = l.kind and t.key = l.key and t.leased_until is not null
$$;

-- Null when nothing is to be done until somebody requests the task.
create function task_state(t tasks) returns text language sql stable as $$
  select case when t.leased_until >= now() then 'running' when t.due_at <= now() then 'waiting' when t.due_at > now() then 'scheduled' end
$$;

-- For metrics: how many tasks wait for a place, the age of the oldest of them, and how many failed the last time.
create function count_tasks() returns table (kind text, waiting bigint, oldest_seconds double precision, failing bigint)
  language sql stable security definer set search_path = public, pg_temp as $$
  select t.kind, count(*) filter (where s.state = 'waiting'),
    coalesce(extract(epoch from now() - min(t.due_at) filter (where s.state = 'waiting')), 0)::double precision,
    count(*) filter (where t.failures > 0)
  from tasks t cross join lateral (select task_state(t) as state) s
  where s.state is not null group by t.kind
$$;

revoke execute on all routines in schema public from public;
grant execute on function claim_tasks(text[], int[], int[], int[], int, text[], uuid[], text[], uuid[]),
  renew_tasks(uuid[], text[], text[], int) to forgewatch_worker;
grant execute on function task_state(tasks), count_tasks() to forgewatch_api, forgewatch_worker;
grant select, insert, update, delete on tasks to forgewatch_api, forgewatch_worker;

-- What is done at the forge for each linked installation: the hooks of its repositories are kept in step with the
-- integration, its history is read when somebody asks for it, and runs that never finished are asked for. `due_at` is
-- when; the process that works holds the lease, and `due_at` equals it until somebody requests the task again.
create table forge_duties (
  integration_id   uuid not null,
  installation_id  bigint not null references forge_installations on delete cascade,
  kind             text not null check (kind in ('hooks', 'history', 'unfinished')),
  due_at           timestamptz,
  leased_until     timestamptz,
  -- History: how far back it goes, and when reading began and ended.
  since            timestamptz,
  started_at       timestamptz,
  finished_at      timestamptz,
  failures         int not null default 0,
  error            text,
  primary key (integration_id, installation_id, kind)
);
call protect_by_integration('forge_duties');
create index forge_duties_due on forge_duties (kind, due_at) where due_at is not null;

-- The repositories that an installation may see, for an integration that has it linked.
create table linked_repositories (
  integration_id     uuid not null,
  installation_id    bigint not null,
  repository         text not null,
  default_branch     text,
  hook_id            bigint,
  -- Digest of address, events and secret that the hook has.
  hook_applied       bytea,
  hook_tried_at      timestamptz,
  hook_error         text,
  history_next_page  int,
  history_runs       int not null default 0,
  primary key (integration_id, installation_id, repository)
);
call protect_by_integration('linked_repositories');

-- Unfinished runs that the forge was asked for.
create table run_checks (
  integration_id  uuid not null,
  run_id          bigint not null,
  times           int not null,
  next_at         timestamptz not null,
  primary key (integration_id, run_id)
);
call protect_by_integration('run_checks');

grant select, insert, update on forge_duties to forgewatch_api;
grant select, insert, update, delete on forge_duties to forgewatch_worker;
grant select on linked_repositories to forgewatch_api;
grant select, insert, update, delete on linked_repositories, run_checks to forgewatch_worker;

-- The functions below look across integrations; their callers see only what they return.
create policy owner_leases on forge_duties to current_user using (true) with check (true);
create policy owner_lists on installation_links for select to current_user using (true);

-- Takes the duty of a kind that has been due longest.
create function lease_forge_duty(p_kind text, p_lease_ms int)
  returns table (integration_id uuid, installation_id bigint, account_login text, is_linked boolean, is_away boolean,
                 since timestamptz, started_at timestamptz, failures int)
  language sql security definer set search_path = public, pg_temp as $$
  update forge_duties d
    set leased_until = now() + make_interval(secs => p_lease_ms / 1000.0), due_at = now() + make_interval(secs => p_lease_ms / 1000.0)
    from (select f.ctid as place from forge_duties f
          where f.kind = p_kind and f.due_at <= now() and (f.leased_until is null or f.leased_until < now())
          order by f.due_at limit 1 for update skip locked) due, forge_installations i
    where d.ctid = due.place and i.installation_id = d.installation_id
    returning d.integration_id, d.installation_id, i.account_login,
      exists (select from installation_links l where l.integration_id = d.integration_id and l.installation_id = d.installation_id),
      i.is_deleted or i.is_suspended, d.since, d.started_at, d.failures
$$;

-- However a link begins or ends, the forge's side follows.
create function follow_link() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into forge_duties (integration_id, installation_id, kind, due_at)
      values (new.integration_id, new.installation_id, 'hooks', now()), (new.integration_id, new.installation_id, 'unfinished', now())
      on conflict on constraint forge_duties_pkey do update set due_at = now(), failures = 0, error = null;
  else
    delete from forge_duties where integration_id = old.integration_id and installation_id = old.installation_id and kind <> 'hooks';
    update forge_duties set due_at = now(), failures = 0
      where integration_id = old.integration_id and installation_id = old.installation_id;
  end if;
  return null;
end
$$;
create trigger installation_links_followed after insert or delete on installation_links
  for each row execute function follow_link();

create function follow_hook_settings() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update forge_duties set due_at = now(), failures = 0 where integration_id = new.integration_id and kind = 'hooks';
  return null;
end
$$;
create trigger hook_settings_followed after update of webhook_secret, webhook_events on integrations
  for each row when (old.webhook_secret <> new.webhook_secret or old.webhook_events <> new.webhook_events)
  execute function follow_hook_settings();

-- A reason to read the members again (a person, new permissions, the end of a suspension) is one to read the repositories too.
create function follow_sync() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update forge_duties set due_at = now(), failures = 0
    where installation_id = new.installation_id and kind in ('hooks', 'unfinished');
  return null;
end
$$;
create trigger forge_installations_followed after update of sync_due_at on forge_installations
  for each row when (new.sync_due_at <= now() and old.sync_due_at is distinct from new.sync_due_at)
  execute function follow_sync();

revoke execute on function lease_forge_duty(text, int), follow_link(), follow_hook_settings(), follow_sync() from public;
grant execute on function lease_forge_duty(text, int) to forgewatch_worker;

insert into forge_duties (integration_id, installation_id, kind, due_at)
  select l.integration_id, l.installation_id, k.kind, now() from installation_links l cross join (values ('hooks'), ('unfinished')) k (kind);

-- Knowledge about webhooks stays for a day, so that they can be deleted at the forge.
create or replace function purge_deleted_integration(p_most int) returns bigint language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  gone deleted_integrations;
  held record;
  total bigint := 0;
  count bigint;
  is_old boolean;
begin
  select * into gone from deleted_integrations where group_id = scope_integration_id() for update skip locked;
  if not found or exists (select from integrations where integration_id = gone.group_id) then
    return 0;
  end if;
  is_old := gone.deleted_at < now() - interval '1 day';
  for held in
    select c.oid::regclass as name, a.attname as key, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname in ('integration_id', 'group_id') and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      and c.oid <> all (array['integrations', 'queue_group', 'deleted_integrations']::regclass[])
      and (is_old or c.oid <> all (array['forge_duties', 'linked_repositories']::regclass[]))
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where %2$I = $1::%3$s limit $2))',
      held.name, held.key, held.type) using gone.group_id::text, p_most;
    get diagnostics count = row_count;
    total := total + count;
  end loop;
  delete from queue_message m using (
    select q.group_no, q.seq from queue_message q join queue_group g using (group_no)
    where g.group_id = gone.group_id::text order by q.seq limit p_most) old
  where m.group_no = old.group_no and m.seq = old.seq;
  get diagnostics count = row_count;
  total := total + count;
  if total = 0 and is_old then
    delete from queue_group where group_id = gone.group_id::text;
    delete from deleted_integrations where group_id = gone.group_id;
  end if;
  return total;
end
$$;

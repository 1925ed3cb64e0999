-- The role of `forgewatch backup` reads every row and changes nothing. It cannot log in, and no role of the service can become
-- it. The owner becomes it with `set role` and does not inherit from it: functions that run as the owner see no more rows.
do $$
begin
  if not exists (select from pg_roles where rolname = 'forgewatch_backup') then
    create role forgewatch_backup nologin nosuperuser nocreatedb nocreaterole noinherit nobypassrls;
  end if;
  if current_setting('server_version_num')::int < 160000 then
    if not pg_has_role('forgewatch_backup', 'member') then
      grant forgewatch_backup to current_user;
    end if;
  elsif not pg_has_role('forgewatch_backup', 'set') then
    execute 'grant forgewatch_backup to current_user with inherit false, set true';
  end if;
exception when insufficient_privilege then
  -- Somebody else created the role. The service works without it, and `backup` says what to grant.
  if not exists (select from pg_roles where rolname = 'forgewatch_backup') then
    raise;
  end if;
end
$$;

-- When the newest backup was complete, for metrics and doctor. At most one row. The owner writes it.
create table last_backup (
  only_row     boolean primary key default true check (only_row),
  finished_at  timestamptz not null
);
grant select on last_backup to forgewatch_worker;

grant usage on schema public to forgewatch_backup;
grant select on all tables in schema public to forgewatch_backup;
grant select on all sequences in schema public to forgewatch_backup;
alter default privileges in schema public grant select on tables to forgewatch_backup;
alter default privileges in schema public grant select on sequences to forgewatch_backup;
-- The policies of the service apply to every role.
grant execute on function scope_integration_id(), scope_integration_ids(), scope_user_id(), scope_secret_hash(),
  scope_verified_email(), scope_installation_id()
  to forgewatch_backup;

-- Every table with row-level security calls this once. The condition matters before Postgres 16, where the owner inherits.
create procedure let_backup_read(read_table regclass) language plpgsql as $$
begin
  execute format('create policy backup_reads on %s for select to forgewatch_backup
    using ((select current_user) = ''forgewatch_backup'')', read_table);
end
$$;

do $$
declare
  protected regclass;
begin
  for protected in
    select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity
  loop
    call let_backup_read(protected);
  end loop;
end
$$;

create or replace procedure protect_by_integration(protected_table regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected_table);
  execute format('alter table %s force row level security', protected_table);
  execute format(
    'create policy by_integration on %s
       using (integration_id = (select scope_integration_id()) or integration_id = any ((select scope_integration_ids())::uuid[]))
       with check (integration_id = (select scope_integration_id()) or integration_id = any ((select scope_integration_ids())::uuid[]))',
    protected_table);
  call let_backup_read(protected_table);
end
$$;

-- Creates the partitions of the weeks that contain the given times. A restored queue holds messages of earlier weeks.
create function queue_make_partitions(p_times timestamptz[]) returns void language plpgsql
set search_path = public, pg_temp as $$
declare
  week timestamptz;
  parent text;
  partition text;
begin
  -- Processes that start together must not create the same partition twice.
  perform pg_advisory_xact_lock(4821003);
  for week in select distinct date_trunc('week', t, 'UTC') from unnest(p_times) t loop
    foreach parent in array array['queue_message', 'queue_segment'] loop
      partition := parent || to_char(week at time zone 'UTC', '_IYYY_IW');
      continue when to_regclass(partition) is not null;
      -- Segments up to a page are stored in their row: out of line, each would cost two more rows and index entries. Inserts
      -- trigger a vacuum, which lets counts use the index alone.
      execute format('create table %I (like %I including all)
        with (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.05)', partition, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        parent, partition, week, week + interval '7 days');
    end loop;
  end loop;
end
$$;

create or replace function queue_make_partitions() returns void language sql
security definer set search_path = public, pg_temp as $$
  select queue_make_partitions(array[now() - interval '1 day', now(), now() + interval '3 days'])
$$;

revoke execute on all routines in schema public from public;

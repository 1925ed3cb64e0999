-- `forgewatch backup` reads every row and changes nothing. Tables that protect_by_integration protects let it read already.
do $$
declare
  protected regclass;
begin
  for protected in
    select oid from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity
      and not exists (select from pg_policy where polrelid = pg_class.oid and polname = 'backup_reads')
  loop
    call let_backup_read(protected);
  end loop;
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

revoke execute on all routines in schema public from public;

-- A suspended application comes back and can then take its hooks away; one that is uninstalled never can.
drop function lease_forge_duty(text, int);
create function lease_forge_duty(p_kind text, p_lease_ms int)
  returns table (integration_id uuid, installation_id bigint, account_login text, is_linked boolean, is_suspended boolean,
                 is_gone boolean, since timestamptz, started_at timestamptz, failures int)
  language sql security definer set search_path = public, pg_temp as $$
  update forge_duties d
    set leased_until = now() + make_interval(secs => p_lease_ms / 1000.0), due_at = now() + make_interval(secs => p_lease_ms / 1000.0)
    from (select f.ctid as place from forge_duties f
          where f.kind = p_kind and f.due_at <= now() and (f.leased_until is null or f.leased_until < now())
          order by f.due_at limit 1 for update skip locked) due, forge_installations i
    where d.ctid = due.place and i.installation_id = d.installation_id
    returning d.integration_id, d.installation_id, i.account_login,
      exists (select from installation_links l where l.integration_id = d.integration_id and l.installation_id = d.installation_id),
      i.is_suspended, i.is_deleted, d.since, d.started_at, d.failures
$$;
revoke execute on function lease_forge_duty(text, int) from public;
grant execute on function lease_forge_duty(text, int) to forgewatch_worker;

-- Why the forge refuses to tell of a repository's runs: it holds up no other.
alter table linked_repositories add column history_error text;

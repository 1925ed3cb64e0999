-- A removed member receives nothing that is committed after the removal. `removals` counts the removals of members of an
-- integration. A removal and a batch of events both lock the integration's counter, so that each update knows how many
-- removals came before it, and a node that sends it knows whether all its sockets were compared with the memberships
-- since. The memberships themselves are the list of changes: a separate one could only disagree with them.
alter table realtime_stream add column removals bigint not null default 0;
grant update (connected_at) on ws_connection to forgewatch_api;

-- Statement by statement, in the order of ids: a person removed from many integrations must not deadlock with events.
-- The service owns none of these rows' tables, hence SECURITY DEFINER; forced row-level security asks for the scope.
create function note_removed_members() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  outer_scope text := current_setting('app.integration_ids', true);
begin
  perform set_config('app.integration_ids', coalesce((select array_agg(distinct integration_id) from removed), '{}')::text, true);
  perform from public.realtime_stream where integration_id in (select integration_id from removed)
    order by integration_id for update;
  update public.realtime_stream set removals = removals + 1 where integration_id in (select integration_id from removed);
  delete from public.ws_connection c using removed r
    where c.integration_id = r.integration_id and c.user_id = r.user_id;
  perform set_config('app.integration_ids', coalesce(outer_scope, ''), true);
  perform pg_notify('membership_changed', format('removed %s', integration_id))
    from (select distinct integration_id from removed) as r;
  return null;
end
$$;
create trigger memberships_removed after delete on memberships referencing old table as removed
  for each statement execute function note_removed_members();

create function note_new_members() returns trigger language plpgsql as $$
begin
  perform pg_notify('membership_changed', format('added %s', user_id)) from (select distinct user_id from added) as a;
  return null;
end
$$;
create trigger memberships_added after insert on memberships referencing new table as added
  for each statement execute function note_new_members();

-- Asked at every handshake.
create index signed_out_by_user on signed_out (user_id) where user_id is not null;

revoke execute on function note_removed_members(), note_new_members() from public;

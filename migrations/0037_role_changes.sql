-- Open pages of a member whose role changes show what the new role allows.
create function note_changed_role() returns trigger language plpgsql as $$
begin
  perform pg_notify('membership_changed', format('role %s', new.user_id));
  return null;
end
$$;
create trigger memberships_role_changed after update of role on memberships
  for each row when (old.role is distinct from new.role) execute function note_changed_role();
revoke execute on function note_changed_role() from public;

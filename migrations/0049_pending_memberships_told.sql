-- Every process looks again for entries of the people who are signed in. One notification for a transaction, however many
-- rows it writes: Postgres joins those that are alike.
create function announce_pending_memberships() returns trigger language plpgsql as $$
begin
  perform pg_notify('pending_memberships_changed', '');
  return null;
end
$$;
create trigger pending_memberships_changed after insert or update on pending_memberships
  for each row execute function announce_pending_memberships();

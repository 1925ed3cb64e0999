-- A person finds the open invitations to the address that the identity provider vouches for; the address is the scope.
create function scope_verified_email() returns text language sql stable parallel safe
  return lower(nullif(current_setting('app.verified_email', true), ''));
revoke execute on function scope_verified_email() from public;
grant execute on function scope_verified_email() to forgewatch_api, forgewatch_worker;

-- A column, as row-level security keeps the index of an expression such as lower(email) from being used.
alter table invitations add column email_key text generated always as (lower(email)) stored;
create index invitations_by_email on invitations (email_key) where status = 'pending';
create policy by_email on invitations for select
  using (status = 'pending' and email_key = (select scope_verified_email()));

-- Invitation mails of the last day, of all integrations together: a person with many integrations is still one sender, and
-- an address that many people invite is still one mailbox. The address itself is not kept.
create table invitation_mails (
  sender_id       uuid not null references users on delete cascade,
  recipient_hash  bytea not null check (octet_length(recipient_hash) = 32),
  sent_at         timestamptz not null default clock_timestamp()
);
create index invitation_mails_by_age on invitation_mails (sent_at);
create index invitation_mails_by_sender on invitation_mails (sender_id);
create index invitation_mails_by_recipient on invitation_mails (recipient_hash);

-- Counts one more mail and answers how many there are of the sender, to the recipient and in all, each with the age of the
-- oldest. One transaction after the other, as all of them count the same rows. The api cannot read the table: it may know
-- how many there are, not who mailed whom.
create function note_invitation_mail(p_sender uuid, p_recipient_hash bytea)
  returns table (counted text, mails integer, oldest_age_seconds float8)
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from memberships where integration_id = scope_integration_id() and user_id = p_sender
                 and role in ('admin', 'owner')) then
    raise exception 'the sender does not manage the integration of the scope' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('invitation mails', 0));
  delete from invitation_mails where sent_at < clock_timestamp() - interval '1 day';
  insert into invitation_mails (sender_id, recipient_hash) values (p_sender, p_recipient_hash);
  return query
    select c.counted, count(*)::int, extract(epoch from clock_timestamp() - min(c.sent_at))::float8
    from (
      select 'recipient' as counted, m.sent_at from invitation_mails m where m.recipient_hash = p_recipient_hash
      union all select 'sender', m.sent_at from invitation_mails m where m.sender_id = p_sender
      union all select 'deployment', m.sent_at from invitation_mails m
    ) c group by c.counted;
end
$$;

-- How many integrations somebody owns, for as long as the transaction lasts: who creates or is given one at the same
-- moment waits. Row-level security shows the rows of a person to that person alone.
create function hold_owned_integrations(p_user uuid) returns integer language plpgsql as $$
declare
  former constant text := coalesce(current_setting('app.user_id', true), '');
  owned integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('owned integrations ' || p_user, 0));
  perform set_config('app.user_id', p_user::text, true);
  select count(*) into owned from memberships where user_id = p_user and role = 'owner';
  perform set_config('app.user_id', former, true);
  return owned;
end
$$;

revoke execute on function note_invitation_mail(uuid, bytea), hold_owned_integrations(uuid) from public;
grant execute on function note_invitation_mail(uuid, bytea), hold_owned_integrations(uuid) to forgewatch_api;

-- Invitations, pending and former members, and limits. The memberships themselves are in 0001_foundation.sql.

create table invitations (
  integration_id  uuid not null references integrations on delete cascade,
  invitation_id   uuid not null default gen_random_uuid(),
  -- Null: anyone with the link.
  email           text,
  role            member_role not null check (role <> 'owner'),
  -- Only the link contains the token itself.
  token_hash      bytea not null unique,
  -- A pending invitation counts as expired after expires_at.
  status          text not null default 'pending' check (status in ('pending', 'accepted', 'revoked')),
  invited_by      uuid not null references users on delete cascade,
  accepted_by     uuid,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  ended_at        timestamptz,
  -- A column, because row-level security prevents the use of an index on an expression such as lower(email).
  email_key       text generated always as (lower(email)) stored,
  primary key (integration_id, invitation_id),
  check (email is not null or role in ('viewer', 'member'))
);
call protect_by_integration('invitations');
create policy by_secret on invitations for select using (token_hash = (select scope_secret_hash()));
create policy by_email on invitations for select
  using (status = 'pending' and email_key = (select scope_verified_email()));
create unique index invitations_one_open on invitations (integration_id, lower(email)) where status = 'pending';
create index invitations_newest on invitations (integration_id, created_at desc, invitation_id desc);
create index invitations_by_inviter on invitations (invited_by);
create index invitations_by_email on invitations (email_key) where status = 'pending';

-- Invitations and resends of the last hour, which are limited.
create table invitation_sends (
  integration_id  uuid not null references integrations on delete cascade,
  sent_at         timestamptz not null default clock_timestamp()
);
call protect_by_integration('invitation_sends');
create index invitation_sends_newest on invitation_sends (integration_id, sent_at);

-- Members of a forge's organization who have not signed in yet. They become members when they sign in.
create table pending_memberships (
  integration_id  uuid not null references integrations on delete cascade,
  forge_id        bigint not null,
  role            member_role not null check (role <> 'owner'),
  source          member_source not null default 'org_sync',
  created_at      timestamptz not null default now(),
  primary key (integration_id, forge_id)
);
call protect_by_integration('pending_memberships');
-- A person finds the entries of the forge account that the identity provider has verified.
create policy own_rows on pending_memberships for select
  using (forge_id = (select u.forge_id from users u where u.user_id = (select scope_user_id())));
create index pending_memberships_by_person on pending_memberships (forge_id);

-- People who were removed from an integration or left it. The entry ends when they accept an invitation.
create table former_members (
  integration_id  uuid not null references integrations on delete cascade,
  user_id         uuid not null references users on delete cascade,
  -- Invitations from before this time do not count.
  left_at         timestamptz not null default now(),
  -- Member sync does not add them again until they leave the organization, so that joining it again adds them here too.
  may_rejoin      boolean not null default false,
  primary key (integration_id, user_id)
);
call protect_by_integration('former_members');

-- Mails of one day, which begins with the first mail: to one address, of one integration or person, or in total.
-- `counted_hash` is a keyed hash, which reveals neither addresses nor people.
create table mail_counts (
  counted_hash  bytea primary key check (octet_length(counted_hash) = 32),
  mails         integer not null,
  began_at      timestamptz not null
);
create index mail_counts_by_age on mail_counts (began_at);

grant select, insert, update, delete on mail_counts to forgewatch_api, forgewatch_worker;
grant select, insert, update on invitations to forgewatch_api;
grant select, insert, delete on invitation_sends, pending_memberships, former_members to forgewatch_api;
grant select, insert, delete on pending_memberships to forgewatch_worker;
-- Member sync revokes the invitations of former members.
grant select (integration_id, invited_by, status), update (status, ended_at) on invitations to forgewatch_worker;
grant update (left_at, may_rejoin) on former_members to forgewatch_api;
grant select, update (may_rejoin) on former_members to forgewatch_worker;

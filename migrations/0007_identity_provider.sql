-- The built-in identity provider, and the keys that it and the forge's sign-in sign with. No table here belongs to an
-- integration, hence no policies.

-- RSA keys, sealed; shared by all processes. One signs, the one before stays published while tokens live that it signed,
-- the one after is published before it signs.
create table signing_key (
  kid          text primary key,
  purpose      text not null,
  private_key  bytea not null,
  signs_from   timestamptz not null
);
create index signing_key_by_purpose on signing_key (purpose, signs_from);

-- What the provider remembers: sessions, sign-ins under way, grants, codes, refresh tokens. The key is a hash, since most
-- ids are bearer credentials: a reader of the table can use none of them.
create table provider_state (
  model        text not null,
  id_hash      bytea not null,
  payload      jsonb not null,
  uid          text,
  user_code    text,
  grant_id     text,
  consumed_at  timestamptz,
  expires_at   timestamptz not null,
  primary key (model, id_hash)
);
create index provider_state_by_uid on provider_state (model, uid) where uid is not null;
create index provider_state_by_user_code on provider_state (model, user_code) where user_code is not null;
create index provider_state_by_grant on provider_state (grant_id) where grant_id is not null;
create index provider_state_by_expiry on provider_state (expires_at);

-- Who has signed in at the built-in provider, as they were at their last sign-in.
create table provider_account (
  subject            text primary key,
  source             text not null check (source in ('demo', 'forge')),
  username           text not null,
  name               text,
  nickname           text,
  email              text,
  is_email_verified  boolean not null default false,
  picture            text,
  forge_id           text,
  updated_at         timestamptz not null default now()
);

grant select, insert, delete on signing_key to forgewatch_api;
grant select, insert, update, delete on provider_state to forgewatch_api;
grant select, insert, update on provider_account to forgewatch_api;

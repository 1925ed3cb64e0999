-- Sessions, personal API tokens, and the built-in identity provider. Only the tokens have policies: the other tables belong
-- neither to an integration nor to one person.

-- Sessions are stored in cookies. This table outlives the process: ended tokens (`token:` and the jti), sessions
-- (`session:` and the id) and people (`user:` and the subject at the identity provider), until the last affected token
-- expires.
create table signed_out (
  entry          text primary key,
  -- Tokens of the session or person that were issued before this time have ended.
  signed_out_at  timestamptz not null default now(),
  expires_at     timestamptz not null,
  -- Whose sockets end: those of a session until somebody signs in to it again, or those of a person.
  session_id     text,
  user_id        uuid
);
create index signed_out_newest on signed_out (signed_out_at);
create index signed_out_by_expiry on signed_out (expires_at);
create index signed_out_by_session on signed_out (session_id) where session_id is not null;
-- Read at every handshake.
create index signed_out_by_user on signed_out (user_id) where user_id is not null;

-- Notifies every process: the id of the session, `user:` and the id of the user, or an empty payload for one token. A trigger,
-- because no way to end a session may leave its sockets open.
create function announce_signed_out() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_ended', coalesce(new.session_id, 'user:' || new.user_id, ''));
  return null;
end
$$;
create trigger signed_out_announced after insert or update of signed_out_at on signed_out
  for each row execute function announce_signed_out();

-- One row per refresh token that is being refreshed or was refreshed in the last half minute, so that the identity
-- provider receives it once although many tabs and processes ask. Tokens in it are encrypted. Unlogged, because after a
-- crash of the database the client simply asks again.
create unlogged table session_refresh (
  token_hash     bytea primary key,
  -- The process that asks the provider; null after the answer.
  holder         uuid,
  lease_until    timestamptz not null,
  outcome        bytea,
  outcome_until  timestamptz,
  session_id     text,
  -- Calls to the provider since calls_since, which providers limit.
  calls          smallint not null default 1,
  calls_since    timestamptz not null default now()
);
create index session_refresh_by_session on session_refresh (session_id) where session_id is not null;

-- API tokens that act as a person, with the role that the person has at that moment.
create table personal_tokens (
  token_id           uuid primary key default gen_random_uuid(),
  user_id            uuid not null references users on delete cascade,
  -- SHA-256 of the token, which has 178 random bits. Nobody can use a row.
  token_hash         bytea not null unique check (octet_length(token_hash) = 32),
  name               text not null check (char_length(name) between 1 and 100),
  scopes             text[] not null,
  -- Null: every integration of the person. Not a reference, because an integration that is gone grants nothing.
  integration_ids    uuid[] check (cardinality(integration_ids) between 1 and 100),
  created_at         timestamptz not null default now(),
  expires_at         timestamptz not null,
  last_used_at       timestamptz,
  last_used_address  text
);
alter table personal_tokens enable row level security;
alter table personal_tokens force row level security;
create policy own_rows on personal_tokens
  using (user_id = (select scope_user_id())) with check (user_id = (select scope_user_id()));
create policy by_secret on personal_tokens for select using (token_hash = (select scope_secret_hash()));
create index personal_tokens_by_person on personal_tokens (user_id, created_at);

-- Encrypted RSA keys of the identity provider and of the forge's sign-in, shared by all processes. One key signs. The
-- previous one stays published while its tokens are valid, and the next one is published before it signs.
create table signing_key (
  kid          text primary key,
  purpose      text not null,
  private_key  bytea not null,
  signs_from   timestamptz not null
);
create index signing_key_by_purpose on signing_key (purpose, signs_from);

-- State of the identity provider: sessions, pending sign-ins, grants, codes and refresh tokens. Most ids are bearer
-- credentials, so the key is their hash, and a reader of the table can use none of them.
create table provider_state (
  model        text not null,
  id_hash      bytea not null,
  payload      jsonb not null,
  uid          text,
  grant_id     text,
  consumed_at  timestamptz,
  expires_at   timestamptz not null,
  primary key (model, id_hash)
);
create index provider_state_by_uid on provider_state (model, uid) where uid is not null;
create index provider_state_by_grant on provider_state (grant_id) where grant_id is not null;
create index provider_state_by_expiry on provider_state (expires_at);

-- Accounts of the identity provider, as of their last sign-in.
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

grant select, insert, update, delete on signed_out, session_refresh, provider_state to forgewatch_api;
grant select, insert, delete, update (last_used_at, last_used_address) on personal_tokens to forgewatch_api;
grant select, insert, delete on signing_key to forgewatch_api;
grant select, insert, update on provider_account to forgewatch_api;

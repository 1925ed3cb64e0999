-- Sessions live in cookies. Here is only what has to outlive a process: what was ended, and who is refreshing.

-- What was signed out, kept until the last token it concerns has expired: one token (`token:` and its jti), a session
-- (`session:` and its id) or everything of a person (`user:` and their subject at the identity provider). Belongs to no
-- integration, hence no policy.
create table signed_out (
  entry          text primary key,
  -- Tokens of the session or person that were issued before this have ended.
  signed_out_at  timestamptz not null default now(),
  expires_at     timestamptz not null,
  -- Whose sockets end: of a session until somebody signs in to it again, or of a person.
  session_id     text,
  user_id        uuid
);
create index signed_out_newest on signed_out (signed_out_at);
create index signed_out_by_expiry on signed_out (expires_at);
create index signed_out_by_session on signed_out (session_id) where session_id is not null;

-- Every process hears of it at once: the session's id, or `user:` and the person's; the empty payload for one token.
create function announce_signed_out() returns trigger language plpgsql as $$
begin
  perform pg_notify('session_ended', coalesce(new.session_id, 'user:' || new.user_id, ''));
  return null;
end
$$;
create trigger signed_out_announced after insert or update of signed_out_at on signed_out
  for each row execute function announce_signed_out();

-- One row a refresh token that is being refreshed or was a moment ago, so that it is sent to the identity provider once
-- however many tabs and processes ask. Holds no token but sealed ones, for half a minute. Nothing here is worth
-- a write to the log: after a crash of the database somebody asks again. Belongs to no integration, hence no policy.
create unlogged table session_refresh (
  token_hash     bytea primary key,
  -- Who asks the provider; null once it has answered.
  holder         uuid,
  lease_until    timestamptz not null,
  outcome        bytea,
  outcome_until  timestamptz,
  session_id     text,
  -- Calls to the provider since the minute began: a provider limits them.
  calls          smallint not null default 1,
  calls_since    timestamptz not null default now()
);
create index session_refresh_by_session on session_refresh (session_id) where session_id is not null;

grant select, insert, update, delete on signed_out, session_refresh to forgewatch_api;

-- When the claims were made that a user's record comes from, in seconds since the epoch: a token that is older than what
-- is stored changes nothing (two sessions of one person may hold different ones).
alter table users add column claims_iat bigint not null default 0;

-- A person is known by the claim `username` where the provider gives one, else by `sub`. The claim is part of the key,
-- since one person's `sub` may be another person's `username`.
alter table users add column cognito_id_claim text not null default 'username'
  check (cognito_id_claim in ('username', 'sub'));
-- Those of the built-in provider have one value for both claims.
update users set cognito_id_claim = 'sub'
  where cognito_id <> 'demo' and not exists (select from provider_account where subject = cognito_id);
alter table users drop constraint users_cognito_id_key;
alter table users add constraint users_cognito_key unique (cognito_id_claim, cognito_id);

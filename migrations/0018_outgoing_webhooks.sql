-- Signed webhooks to receivers that people chose: subscriptions of an integration, and the delivery log.

create table webhook_subscriptions (
  integration_id           uuid not null references integrations on delete cascade,
  subscription_id          uuid not null default gen_random_uuid(),
  name                     text not null check (char_length(name) between 1 and 100),
  -- The host of the URL, which may be shown. URL and secrets are encrypted.
  host                     text not null,
  sealed_url               bytea not null,
  sealed_secret            bytea not null,
  -- Signs too until then, so that receivers can change to the new secret without loss.
  sealed_previous_secret   bytea,
  previous_secret_until    timestamptz,
  -- See contract/integrations/webhook-payloads.ts.
  event_types              text[] not null check (cardinality(event_types) between 1 and 20),
  enabled                  boolean not null,
  -- Why the service disabled it; null when a person did.
  disabled_reason          text check (disabled_reason in ('failing', 'gone', 'full')),
  -- The first failed attempt after the last success, and the number of failed attempts since then.
  failing_since            timestamptz,
  failures                 integer not null default 0,
  -- Why the last attempt failed, in words; null when it succeeded.
  last_problem             text,
  last_success_at          timestamptz,
  -- When an event found too many webhooks waiting. The next turn of the receiver disables the subscription.
  overflowed_at            timestamptz,
  created_by               uuid references users on delete set null,
  created_at               timestamptz not null default now(),
  primary key (integration_id, subscription_id),
  check ((sealed_previous_secret is null) = (previous_secret_until is null)),
  check (disabled_reason is null or not enabled)
);
call protect_by_integration('webhook_subscriptions');
create index webhook_subscriptions_by_creator on webhook_subscriptions (created_by);

create sequence outgoing_webhook_positions;

-- One webhook to one receiver, which is a subscription or a channel of a notification rule. The id is sent as `webhook-id`. No
-- foreign key to the receiver: deleting one with its webhooks would take too long for a request. A task for each receiver sends those
-- that wait.
create table outgoing_webhooks (
  integration_id   uuid not null,
  webhook_id       uuid not null default gen_random_uuid(),
  receiver_id      uuid not null,
  receiver_kind    text not null check (receiver_kind in ('subscription', 'channel')),
  event_type       text not null,
  status           text not null check (status in ('waiting', 'sent', 'failed')),
  -- A receiver gets those that wait in this order.
  position         bigint not null default nextval('outgoing_webhook_positions'),
  -- What the event is about, until the first attempt makes the body of it.
  facts            json,
  -- Encrypted, like payloads.
  sealed_body      bytea check (octet_length(sealed_body) <= 262144),
  created_at       timestamptz not null default now(),
  next_attempt_at  timestamptz,
  attempts         integer not null default 0,
  -- Attempts since it was created or last replayed, for the back-off.
  tries            integer not null default 0,
  status_code      integer,
  duration_ms      integer,
  problem          text,
  primary key (integration_id, webhook_id)
);
call protect_by_integration('outgoing_webhooks');
create index outgoing_webhooks_waiting on outgoing_webhooks (integration_id, receiver_id, position) where status = 'waiting';
create index outgoing_webhooks_of_receiver on outgoing_webhooks (integration_id, receiver_id, created_at desc, webhook_id desc);
create index outgoing_webhooks_of_type on outgoing_webhooks (integration_id, receiver_id, event_type, created_at desc, webhook_id desc);
create index outgoing_webhooks_failed on outgoing_webhooks (integration_id, receiver_id, created_at desc, webhook_id desc)
  where status = 'failed';
create index outgoing_webhooks_by_age on outgoing_webhooks (integration_id, created_at);

create table outgoing_webhook_attempts (
  integration_id  uuid not null,
  webhook_id      uuid not null,
  number          integer not null,
  at              timestamptz not null,
  duration_ms     integer not null,
  status_code     integer,
  -- In words; null when the receiver accepted it.
  problem         text,
  primary key (integration_id, webhook_id, number),
  foreign key (integration_id, webhook_id) references outgoing_webhooks on delete cascade
);
call protect_by_integration('outgoing_webhook_attempts');

grant select, insert, update, delete on webhook_subscriptions to forgewatch_api;
grant select, insert, update on outgoing_webhooks to forgewatch_api;
grant select, insert on outgoing_webhook_attempts to forgewatch_api;
grant usage on sequence outgoing_webhook_positions to forgewatch_api, forgewatch_worker;
grant select on webhook_subscriptions to forgewatch_worker;
grant update (enabled, disabled_reason, failing_since, failures, last_problem, last_success_at, overflowed_at,
  sealed_previous_secret, previous_secret_until) on webhook_subscriptions to forgewatch_worker;
grant select, insert, update, delete on outgoing_webhooks, outgoing_webhook_attempts to forgewatch_worker;

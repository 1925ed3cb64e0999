-- Up Migration

-- Counted up by every transaction that stores events of the integration, those that screens are not told of included: while it
-- is the same, so is what every list and dashboard says.
alter table realtime_stream add column changes bigint not null default 0;

-- The failure that made a rule speak: that which opened the incident may be one that the rule does not look at. Only of messages
-- about failures; null in those from before.
alter table notifications add failure jsonb;

-- The event log lists failed runs too. Unlike actions of people, these entries are deleted with their deliveries.
grant delete on event_log to forgewatch_worker;
create index event_log_failed_runs on event_log (integration_id, at) where type = 'run.failed';

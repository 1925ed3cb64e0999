-- Failed runs are told of in the event log too. Unlike what people did they are forgotten, with the deliveries that told of
-- them.
grant delete on event_log to forgewatch_worker;
create index event_log_failed_runs on event_log (integration_id, at) where type = 'run.failed';

-- A job waits for its run while messages of its integration wait.
grant select (group_id) on queue_group to forgewatch_worker;

-- The worker asks whether there is something to reap or to expire.
create policy worker_asks on queue_group for select to forgewatch_worker using (true);
grant select (lease_until, head_at) on queue_group to forgewatch_worker;

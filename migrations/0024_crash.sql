-- The worker's batches commit without waiting for the disk: their messages are durable, so what a crash undoes is done
-- again. Numbers of updates that were undone may have been told to open screens, so that after a crash each counter begins
-- anew under another epoch. An unlogged table is empty after a crash, and on a server that took over from another.
create unlogged table crash_marker (is_known boolean primary key);
create policy owner_renews on realtime_stream to current_user using (true) with check (true);

-- First statement of each connection of the worker, as none outlives a crash.
create function begin_streams_anew_after_crash() returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
begin
  if exists (select from crash_marker) then
    return;
  end if;
  -- Whoever comes at the same time waits here until the epochs are new.
  insert into crash_marker values (true) on conflict do nothing;
  if found then
    update realtime_stream set epoch = substr(md5(gen_random_uuid()::text), 1, 8);
  end if;
end
$$;
revoke execute on function begin_streams_anew_after_crash() from public;
grant execute on function begin_streams_anew_after_crash() to forgewatch_worker;

-- Mails of one day, which begins with the first of them: to one address, of one integration or person, or of all together.
-- `counted_hash` is a keyed hash of what is counted: neither addresses nor people can be read from it.
drop function note_invitation_mail(uuid, bytea);
drop table invitation_mails;
create table mail_counts (
  counted_hash  bytea primary key check (octet_length(counted_hash) = 32),
  mails         integer not null,
  began_at      timestamptz not null
);
create index mail_counts_by_age on mail_counts (began_at);

-- Counts more mails of the day and answers null; or counts nothing, as they would be more than p_most, and answers in how
-- many seconds the day ends. The row stays locked until the end of the transaction, so that all processes count together.
create function count_mails(p_counted_hash bytea, p_mails integer, p_most integer) returns float8
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  at constant timestamptz := clock_timestamp();
  day_ago constant timestamptz := at - interval '1 day';
begin
  -- Rows of ended days, but none that another transaction counts with: waiting for it could be a deadlock.
  delete from mail_counts where counted_hash in (
    select counted_hash from mail_counts where began_at <= day_ago and counted_hash <> p_counted_hash
    order by began_at limit 10 for update skip locked);
  insert into mail_counts as c (counted_hash, mails, began_at)
    select p_counted_hash, p_mails, at where p_mails between 1 and p_most
    on conflict (counted_hash) do update set
      mails = case when c.began_at <= day_ago then 0 else c.mails end + excluded.mails,
      began_at = case when c.began_at <= day_ago then at else c.began_at end
    where c.began_at <= day_ago or c.mails + excluded.mails <= p_most;
  if found then
    return null;
  end if;
  return coalesce(
    (select extract(epoch from began_at - day_ago) from mail_counts
     where counted_hash = p_counted_hash and began_at > day_ago),
    extract(epoch from interval '1 day'));
end
$$;
revoke execute on function count_mails(bytea, integer, integer) from public;
grant execute on function count_mails(bytea, integer, integer) to forgewatch_api, forgewatch_worker;

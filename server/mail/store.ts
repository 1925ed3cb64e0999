import type { Tx } from '#platform/database/database.ts';

/**
 * Counts mails of the day and returns undefined. If they would exceed `most`, counts nothing and returns the seconds until
 * the day ends. The row stays locked until the transaction ends, so that all processes count together.
 */
export async function countMails(
  tx: Tx,
  countedHash: Buffer,
  mails: number,
  most: number,
): Promise<number | undefined> {
  await deleteEndedDays(tx, countedHash);
  const { rowCount } = await tx.query(
    `insert into mail_counts as c (counted_hash, mails, began_at)
     select $1, $2::int, clock_timestamp() where $2 between 1 and $3::int
     on conflict (counted_hash) do update set
       mails = case when c.began_at <= excluded.began_at - interval '1 day' then 0 else c.mails end + excluded.mails,
       began_at = case when c.began_at <= excluded.began_at - interval '1 day' then excluded.began_at else c.began_at end
     where c.began_at <= excluded.began_at - interval '1 day' or c.mails + excluded.mails <= $3`,
    [countedHash, mails, most],
  );
  return rowCount === 1 ? undefined : secondsLeft(tx, countedHash);
}

/** Skips rows that another transaction counts with, because waiting for it could deadlock. */
async function deleteEndedDays(tx: Tx, countedHash: Buffer): Promise<void> {
  await tx.query(
    `delete from mail_counts where counted_hash in (
       select counted_hash from mail_counts
       where began_at <= clock_timestamp() - interval '1 day' and counted_hash <> $1
       order by began_at limit 10 for update skip locked)`,
    [countedHash],
  );
}

/** A day, when no mail was counted yet. */
async function secondsLeft(tx: Tx, countedHash: Buffer): Promise<number> {
  const seconds = await tx.value<number>(
    `select extract(epoch from began_at + interval '1 day' - clock_timestamp())::float8 as seconds
     from mail_counts where counted_hash = $1 and began_at > clock_timestamp() - interval '1 day'`,
    [countedHash],
  );
  return seconds ?? 86_400;
}

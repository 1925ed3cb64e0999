import type { Tx } from '#platform/database/database.ts';

/** Undefined when the mails were counted; else in how many seconds more may be. */
export async function countMails(
  tx: Tx,
  countedHash: Buffer,
  mails: number,
  most: number,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ wait: number | null }>('select count_mails($1, $2, $3) as wait', [
    countedHash,
    mails,
    most,
  ]);
  return rows[0]?.wait ?? undefined;
}

import type { Tx } from '#platform/database/database.ts';

/** Deletes the oldest rows, at most `most` of each table. Returns their number. */
export async function deleteOldTests(
  tx: Tx,
  integrationId: string,
  { before, daysBefore, most }: { before: Date; daysBefore: Date; most: number },
): Promise<number> {
  const rows: [table: string, at: string, limit: Date][] = [
    ['test_failures', 'at', before],
    ['test_reports', 'received_at', before],
    ['artifact_checks', 'noted_at', before],
    ['test_days', 'day', daysBefore],
    ['test_day_blocks', 'day', daysBefore],
    ['tests', 'last_seen_at', daysBefore],
  ];
  const counts = await Promise.all(
    rows.map(([table, at, limit]) =>
      tx.execute(
        `delete from ${table} where integration_id = $1 and ctid = any (array(
           select ctid from ${table} where integration_id = $1 and ${at} < $2 order by ${at} limit $3))`,
        [integrationId, limit, most],
      ),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

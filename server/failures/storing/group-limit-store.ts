import type { Tx } from '#platform/database/database.ts';

/** The number of failure groups; counting ends at `most`. */
export async function countGroups(tx: Tx, integrationId: string, most: number): Promise<number> {
  const count = await tx.value<number>({
    name: 'count-failure-groups',
    text: `select count(*)::int as count from (
             select from failure_groups where integration_id = $1 limit $2) g`,
    values: [integrationId, most],
  });
  return count ?? 0;
}

/** Deletes the groups that failed longest ago, open ones first. */
export async function deleteOldestGroups(tx: Tx, integrationId: string, count: number): Promise<void> {
  await tx.query(
    `delete from failure_groups where integration_id = $1 and failure_group_id = any (array(
       select failure_group_id from failure_groups where integration_id = $1
       order by status <> 'open', last_seen_at, failure_group_id limit $2))`,
    [integrationId, count],
  );
}

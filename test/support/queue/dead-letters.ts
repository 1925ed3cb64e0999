import type { TestDatabase } from '#test/support/database/test-database.ts';

/** Dead letters of the group with the reason, without bodies. Returns their ids, in order. */
export async function insertDeadLetters(
  { asOwner }: TestDatabase,
  groupId: string,
  reason: string,
  count = 1,
): Promise<string[]> {
  const rows = await asOwner<{ message_id: string }>(
    `insert into dead_letter (message_id, group_id, deduplication_id, sent_at, reason, body)
     select nextval('queue_seq'), $1, n::text, now(), $2, '' from generate_series(1, $3::int) n returning message_id`,
    [groupId, reason, count],
  );
  return rows.map(({ message_id: id }) => id);
}

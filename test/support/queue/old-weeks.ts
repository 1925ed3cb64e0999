import type { TestDatabase } from '../database/test-database.ts';

/** Adds a partition for the messages and segments of all years before the first week of the queue. A new installation has none. */
export async function addOldWeeks({ asOwner }: Pick<TestDatabase, 'asOwner'>): Promise<void> {
  for (const table of ['queue_message', 'queue_segment']) {
    const [first] = await asOwner<{ start: string }>(
      `select min(substring(pg_get_expr(c.relpartbound, c.oid) from $$FROM \\('([^']+)'$$)::timestamptz)::text as start
       from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = $1::regclass`,
      [table],
    );
    await asOwner(
      `create table ${table}_before partition of ${table} for values from ('2020-01-01') to ('${first?.start}')`,
    );
  }
}

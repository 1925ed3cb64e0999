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

/** The partitions of messages. */
export async function messageWeeks({ asOwner }: Pick<TestDatabase, 'asOwner'>): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'queue_message'::regclass order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Adds the partitions of the week so many days ago. Returns the name of that of messages. */
export async function addWeek({ asOwner }: Pick<TestDatabase, 'asOwner'>, daysAgo: number): Promise<string> {
  const [week] = await asOwner<{ name: string; start: string; end: string }>(
    `select to_char(week at time zone 'UTC', 'IYYY_IW') as name, week::text as start, (week + interval '7 days')::text as end
     from date_trunc('week', now() - $1 * interval '1 day', 'UTC') week`,
    [daysAgo],
  );
  for (const table of ['queue_message', 'queue_segment'])
    await asOwner(
      `create table ${table}_${week!.name} partition of ${table} for values from ('${week!.start}') to ('${week!.end}')`,
    );
  return `queue_message_${week!.name}`;
}

/** As if all messages of the group had been sent that long ago. Needs the partitions of that time. */
export async function ageMessages(
  { asOwner }: Pick<TestDatabase, 'asOwner'>,
  groupId: string,
  age: string,
): Promise<void> {
  await asOwner(
    `with old as (
       update queue_message set accepted_at = now() - $2::interval
       where group_no = (select group_no from queue_group where group_id = $1) returning segment_id)
     update queue_segment set accepted_at = now() - $2::interval where segment_id in (select segment_id from old)`,
    [groupId, age],
  );
  await asOwner('update queue_group set head_at = now() - $2::interval where group_id = $1', [groupId, age]);
}

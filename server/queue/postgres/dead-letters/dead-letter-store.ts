import type { Tx } from '#platform/database/database.ts';
import type { Place } from '../../messages/segment.ts';
import { deduplicationMs } from '../../policy.ts';
import type { DeadLetter, DeadLetterFilter } from '../../queue.ts';

export function listDeadLetters(
  tx: Tx,
  { groupId, messageIds, after, limit = 100 }: DeadLetterFilter & { after?: string; limit?: number },
): Promise<DeadLetter[]> {
  return tx.rows<DeadLetter>(
    `select message_id as "messageId", group_id as "groupId", reason, detail, sent_at as "sentAt", dead_at as "deadAt"
     from dead_letter
     where ($1::text is null or group_id = $1) and ($2::bigint is null or message_id > $2)
       and ($3::bigint[] is null or message_id = any ($3))
     order by message_id limit $4`,
    [groupId, after, messageIds, limit],
  );
}

/** Later dead letters, such as a retried message that fails again, have a higher id. Null when there is none. */
export async function newestDeadLetter(tx: Tx): Promise<string | null> {
  const newest = await tx.value<string | null>('select max(message_id) as newest from dead_letter');
  return newest ?? null;
}

/** Retries up to `most` dead letters that are not newer than `newest`. Returns how many. */
export async function redriveDeadLetters(
  tx: Tx,
  { groupId, messageIds }: DeadLetterFilter,
  newest: string | null,
  most: number,
): Promise<number> {
  const count = await tx.value<number>(
    "select dead_letter_redrive($1, $2, $3, $4, $5 * interval '1 ms') as count",
    [groupId, messageIds, newest, most, deduplicationMs],
  );
  return count ?? 0;
}

export async function dropDeadLetters(tx: Tx, { groupId, messageIds }: DeadLetterFilter): Promise<number> {
  const count = await tx.value<number>('select dead_letter_drop($1, $2) as count', [groupId, messageIds]);
  return count ?? 0;
}

export interface NewDeadLetter extends Place {
  messageId: string;
  groupId: string;
  /** The sealed segment of its message. */
  segment: Buffer;
}

/** Dead letters of this transaction. */
export function selectNewDeadLetters(tx: Tx, after: string, most: number): Promise<NewDeadLetter[]> {
  return tx.rows<NewDeadLetter>(
    `select message_id as "messageId", group_id as "groupId", body as segment, body_start as start, body_length as length
     from dead_letter where not is_own_segment and dead_at = now() and message_id > $1 order by message_id limit $2`,
    [after, most],
  );
}

/** Not awaited: the next statement or the commit fails when it does. */
export function replaceDeadLetterBody(tx: Tx, messageId: string, body: Buffer): void {
  void tx.query(
    'update dead_letter set body = $2, body_start = 0, is_own_segment = true where message_id = $1',
    [messageId, body],
  );
}

export interface DeadLetterCount {
  groupId: string;
  reason: string;
  count: number;
}

export function countDeadLetters(tx: Tx): Promise<DeadLetterCount[]> {
  return tx.rows<DeadLetterCount>(
    `select group_id as "groupId", reason, count(*)::float8 as count from dead_letter
     group by group_id, reason order by count desc, group_id, reason limit 1000`,
  );
}

/** Dead letters, or an alarm that has to end. */
export const deadOrRaised =
  'select from dead_letter union all select from dead_letter_alarm where raised_at is not null';

/**
 * Dead letters that were not reported yet. They count as reported when the transaction commits. Those that are being retried or
 * dropped are left for the next time.
 */
export function takeNewDeadLetters(tx: Tx): Promise<DeadLetterCount[]> {
  return tx.rows<DeadLetterCount>(
    `with news as (
       update dead_letter set is_reported = true
       where message_id in (select message_id from dead_letter where not is_reported for update skip locked)
       returning group_id, reason)
     select group_id as "groupId", reason, count(*)::float8 as count from news group by group_id, reason`,
  );
}

/** True when the alarm starts, or repeats after `againMs`; false when it ends; null otherwise. */
export async function raiseAlarm(tx: Tx, againMs: number): Promise<boolean | null> {
  const due = await tx.value<boolean | null>(
    `update dead_letter_alarm a set raised_at = case when now.is_dead then clock_timestamp() end
     from (select exists (select from dead_letter) as is_dead) now
     where case when now.is_dead then coalesce(a.raised_at < clock_timestamp() - $1 * interval '1 ms', true)
           else a.raised_at is not null end
     returning now.is_dead as due`,
    [againMs],
  );
  return due ?? null;
}

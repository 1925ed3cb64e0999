import { maxUnread, type LogEntry as ShownEntry } from '#contract/deliveries/event-log.ts';
import type { Tx } from '#platform/database/database.ts';
import { columnsOf } from '#platform/database/rows/columns-of.ts';
import { concernsReader, readerOf } from './concerns-store.ts';
import type { LogEntry, Reader } from './log-entry.ts';
import type { PagePosition } from '#platform/http/page-cursor.ts';
import { lowered, patternsOf } from '#platform/database/rows/words.ts';

export async function insertLogEntry(tx: Tx, entry: LogEntry): Promise<void> {
  await tx.query(
    `insert into event_log (integration_id, type, severity, title, actor_id, details)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      entry.integrationId,
      entry.type,
      entry.severity ?? 'info',
      entry.title,
      entry.actorId ?? null,
      entry.details,
    ],
  );
}

/** Whether there is an entry of the type that is not older than the interval. */
export function hasEntrySince(
  tx: Tx,
  { integrationId, type }: Pick<LogEntry, 'integrationId' | 'type'>,
  interval: string,
): Promise<boolean> {
  return tx.some(
    `select from event_log where integration_id = $1 and type = $2 and at > now() - $3::interval limit 1`,
    [integrationId, type, interval],
  );
}

/** SQL: the id of the entry about an attempt, so that each attempt has one. */
const failedRunId = `md5(concat_ws('/', "integrationId", "runId", attempt))::uuid`;

export interface FailedRunEntry {
  integrationId: string;
  runId: number;
  attempt: number;
  title: string;
  details: Record<string, unknown>;
}

/** The query is not awaited. Leaves out failures whose conclusion may still change, unless `isSettled`. */
export function insertFailedRuns(
  tx: Tx,
  entries: readonly FailedRunEntry[],
  { isSettled }: { isSettled: boolean },
): void {
  void tx.query({
    name: 'insert-failed-runs',
    text: `insert into event_log (integration_id, entry_id, at, type, severity, title, details)
           select "integrationId", ${failedRunId}, clock_timestamp(),
             'run.failed', 'error', title, details
           from jsonb_to_recordset($1) as entry
             ("integrationId" uuid, "runId" bigint, attempt int, title text, details jsonb)
           where $2::boolean or details->>'conclusion' <> 'failure' or not exists (
             select from pending_conclusions p
             where p.group_id = "integrationId" and p.run_id = "runId" and p.attempt = entry.attempt offset 0)
           on conflict do nothing`,
    values: [JSON.stringify(entries), isSettled],
  });
}

/** Of attempts that turned out not to have failed. */
export async function deleteFailedRuns(
  tx: Tx,
  integrationId: string,
  attempts: readonly { runId: number; attempt: number }[],
): Promise<void> {
  await tx.query({
    name: 'delete-failed-runs',
    text: `delete from event_log using (
             select ${failedRunId} as id from unnest($2::bigint[], $3::integer[]) as c ("runId", attempt)
             cross join (select $1::uuid as "integrationId") i) f
           where integration_id = $1 and entry_id = f.id`,
    values: [integrationId, ...columnsOf(attempts, 'runId', 'attempt')],
  });
}

/** Deletes entries about failed runs and other entries of the service. What people did stays. Returns the number of rows. */
export function deleteOldEntries(
  tx: Tx,
  integrationId: string,
  { before, serviceBefore, most }: { before: Date; serviceBefore: Date; most: number },
): Promise<number> {
  return tx.execute(
    `delete from event_log where integration_id = $1 and entry_id = any (array(
       (select entry_id from event_log where integration_id = $1 and type = 'run.failed' and at < $2 limit $4)
       union all
       (select entry_id from event_log where integration_id = $1 and at < $3 and actor_id is null limit $4)))`,
    [integrationId, before, serviceBefore, most],
  );
}

export interface EntryFilter {
  types: string[] | undefined;
  severities: string[] | undefined;
  from: string | undefined;
  to: string | undefined;
  isUnread: boolean;
  words: string[] | undefined;
  before: PagePosition | undefined;
}

const isRead = `coalesce(k.is_read, e.at <= p.until or not ${concernsReader})`;

interface EntryRow extends Omit<ShownEntry, 'at' | 'actor'> {
  at: Date;
  atMicros: string;
  actorId: string | null;
  actorName: string | null;
}

/** The entries of $1 as $2 sees them. */
const selectEntries = `select e.entry_id as "entryId", e.at,
    (extract(epoch from e.at) * 1000000)::bigint::text as "atMicros", e.type, e.severity, e.title, e.details,
    e.actor_id as "actorId", coalesce(u.name, u.forge_login, e.details->>'token') as "actorName",
    ${isRead} as read
  from event_log e cross join (${readerOf}) p
  left join users u on u.user_id = e.actor_id
  left join event_log_marks k on k.integration_id = $1 and k.user_id = $2 and k.entry_id = e.entry_id
  where e.integration_id = $1`;

/** Newest first, at most `limit`. */
export async function listEntries(
  tx: Tx,
  { integrationId, userId }: Reader,
  filter: EntryFilter,
  limit: number,
): Promise<{ entry: ShownEntry; position: PagePosition }[]> {
  const { types, severities, from, to, isUnread, words, before } = filter;
  const patterns = words && patternsOf(words);
  const { rows } = await tx.query<EntryRow>({
    text: `${selectEntries}
             and ($3::text[] is null or e.type = any ($3)) and ($4::text[] is null or e.severity = any ($4))
             and ($5::timestamptz is null or e.at >= $5) and ($6::timestamptz is null or e.at < $6)
             and (not $7::boolean or not ${isRead})
             and ($8::text[] is null or ${lowered(`concat_ws(' ', e.title, u.name, u.forge_login)`)} like all ($8))
             and ($9::bigint is null
               or (e.at, e.entry_id) < (timestamptz 'epoch' + $9::bigint * interval '1 microsecond', $10::uuid))
           order by e.at desc, e.entry_id desc limit $11`,
    values: [
      integrationId,
      userId,
      types,
      severities,
      from,
      to,
      isUnread,
      patterns,
      before?.at,
      before?.id,
      limit,
    ],
  });
  return rows.map((row) => ({
    entry: shownEntry(row),
    position: { at: row.atMicros, id: row.entryId },
  }));
}

/** Undefined when the log has no such entry. */
export async function findEntry(
  tx: Tx,
  { integrationId, userId }: Reader,
  entryId: string,
): Promise<ShownEntry | undefined> {
  const { rows } = await tx.query<EntryRow>({
    text: `${selectEntries} and e.entry_id = $3`,
    values: [integrationId, userId, entryId],
  });
  return rows[0] && shownEntry(rows[0]);
}

function shownEntry(row: EntryRow): ShownEntry {
  const { entryId, at, type, severity, title, actorId, actorName, details, read } = row;
  const actor = actorId === null ? null : { userId: actorId, name: actorName };
  return { entryId, at: at.toISOString(), type, severity, title, actor, details, read };
}

/** At most `maxUnread`. What was marked unread may be old, and need not concern the reader. */
export async function countUnread(tx: Tx, { integrationId, userId }: Reader): Promise<number> {
  const count = await tx.value<number>({
    text: `select count(*)::int as count from (
             (select from (${readerOf}) p join event_log e on e.integration_id = $1 and e.at > p.until
              where ${concernsReader} and not exists (
                select from event_log_marks k
                where k.integration_id = $1 and k.user_id = $2 and k.entry_id = e.entry_id)
              limit ${maxUnread})
             union all
             (select from event_log_marks k
              join event_log e on e.integration_id = $1 and e.entry_id = k.entry_id
              where k.integration_id = $1 and k.user_id = $2 and not k.is_read
              limit ${maxUnread})
             limit ${maxUnread}) unread`,
    values: [integrationId, userId],
  });
  return count ?? 0;
}

/** False when the log has no such entry. */
export function saveMark(
  tx: Tx,
  { integrationId, userId }: Reader,
  entryId: string,
  isRead: boolean,
): Promise<boolean> {
  return tx.some(
    `insert into event_log_marks (integration_id, user_id, entry_id, is_read)
     select $1, $2, e.entry_id, $4 from event_log e where e.integration_id = $1 and e.entry_id = $3
     on conflict (integration_id, user_id, entry_id) do update set is_read = excluded.is_read`,
    [integrationId, userId, entryId, isRead],
  );
}

/** Includes the whole millisecond, since the API shows times in milliseconds. */
const markTime = `least(coalesce($3::timestamptz + interval '999 microseconds', now()), now())`;

export async function saveReadUntil(
  tx: Tx,
  { integrationId, userId }: Reader,
  upTo: string | undefined,
): Promise<void> {
  await tx.query(
    `insert into event_log_read_until as w (integration_id, user_id, until) values ($1, $2, ${markTime})
     on conflict (integration_id, user_id) do update set until = greatest(w.until, excluded.until)`,
    [integrationId, userId, upTo],
  );
}

/** Of what lies before the new watermark: marks on entries after it stay. */
export async function deleteMarks(
  tx: Tx,
  { integrationId, userId }: Reader,
  upTo: string | undefined,
): Promise<void> {
  await tx.query(
    `delete from event_log_marks k where k.integration_id = $1 and k.user_id = $2 and not exists (
       select from event_log e where e.integration_id = $1 and e.entry_id = k.entry_id and e.at > ${markTime})`,
    [integrationId, userId, upTo],
  );
}

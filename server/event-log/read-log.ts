import { splitValues } from '#contract/base/value-list.ts';
import {
  entryTypes,
  severities,
  type EventLogQuery,
  type LogEntry,
  type LogEntryPage,
  type EntryType,
} from '#contract/deliveries/event-log.ts';
import type { Tx } from '#platform/database/database.ts';
import { AppError, invalidField } from '#platform/runtime/app-error.ts';
import { decodeCursor, encodeCursor, defaultLimit } from '#platform/http/page-cursor.ts';
import type { Reader } from './log-entry.ts';
import { countUnread, findEntry, listEntries, type EntryFilter } from './store.ts';

/** A page, newest first. @throws AppError `invalid_request` for a type, severity or cursor that there is not. */
export async function readLog(tx: Tx, reader: Reader, query: EventLogQuery): Promise<LogEntryPage> {
  const limit = query.limit ?? defaultLimit;
  const filter = entryFilter(query);
  const [rows, unread] = await Promise.all([
    listEntries(tx, reader, filter, limit + 1),
    countUnread(tx, reader),
  ]);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(({ entry }) => entry),
    nextCursor: last === undefined ? null : encodeCursor(last.position),
    unread,
  };
}

/** @throws AppError `not_found` when the log has no such entry. */
export async function readEntry(tx: Tx, reader: Reader, entryId: string): Promise<LogEntry> {
  const entry = await findEntry(tx, reader, entryId);
  if (entry === undefined) throw new AppError('not_found', { detail: 'Entry not found.' });
  return entry;
}

function entryFilter({ type, severity, from, to, unread, q, cursor }: EventLogQuery): EntryFilter {
  return {
    types: type === undefined ? undefined : splitValues(type).flatMap(typesOf),
    severities: severity === undefined ? undefined : splitValues(severity).map(severityOf),
    from,
    to,
    isUnread: unread === true,
    words: q?.replaceAll('\0', '\uFFFD').split(/\s+/),
    before: cursor === undefined ? undefined : decodeCursor(cursor, 'uuid'),
  };
}

/** A type, or all types of a group. */
function typesOf(value: string): EntryType[] {
  const types = entryTypes.filter((type) => type === value || type.startsWith(`${value}.`));
  if (types.length === 0) throw unknownValue('type', entryTypes);
  return types;
}

function severityOf(value: string): string {
  if (!severities.some((severity) => severity === value)) throw unknownValue('severity', severities);
  return value;
}

function unknownValue(field: string, values: readonly string[]): AppError {
  return invalidField(field, `must be of: ${values.join(', ')}`);
}

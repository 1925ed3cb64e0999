import { actAs, actingUser } from '#platform/database/acting-user.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import type { LogEntry } from './log-entry.ts';
import { hasEntrySince, insertLogEntry } from './store.ts';

/** Adds the entry in the transaction of the change that it describes. */
export async function addLogEntry(tx: Tx, entry: LogEntry): Promise<void> {
  await insertLogEntry(tx, withToken(entry));
}

/** Adds the entry unless there is one of its type from the last 24 hours. For limits that are exceeded again and again. */
export async function addDailyEntry(tx: Tx, entry: LogEntry): Promise<void> {
  if (!(await hasEntrySince(tx, entry, '24 hours'))) await insertLogEntry(tx, withToken(entry));
}

/** Adds an entry in its own transaction, also when the actor lost access since: what it describes has happened. */
export async function recordLogEntry(db: Database, entry: LogEntry): Promise<void> {
  const named = withToken(entry);
  await actAs(undefined, () =>
    db.withScope({ integrationId: entry.integrationId }, (tx) => insertLogEntry(tx, named)),
  );
}

/** Names the API token that was used, so that the log tells a program from the person it acts for. */
function withToken(entry: LogEntry): LogEntry {
  const token = actingUser()?.token;
  if (token === undefined) return entry;
  token.isNoted = true;
  return { ...entry, details: { ...entry.details, token: token.name, tokenId: token.tokenId } };
}

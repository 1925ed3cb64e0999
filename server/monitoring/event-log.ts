import type { Database } from '#platform/database/database.ts';
import { insertLogEntry } from './event-log-store.ts';

/** One line of an integration's event log. `details` holds nothing secret and nothing of a payload. */
export interface LogEntry {
  integrationId: string;
  type: 'dead_letters';
  severity: 'info' | 'warning' | 'error';
  title: string;
  details: Record<string, unknown>;
}

export async function recordLogEntry(db: Database, entry: LogEntry): Promise<void> {
  await db.withScope({ integrationId: entry.integrationId }, (tx) => insertLogEntry(tx, entry));
}

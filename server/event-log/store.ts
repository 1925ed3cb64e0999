import type { Tx } from '#platform/database/database.ts';
import type { LogEntry } from './add-entry.ts';

export async function insertLogEntry(tx: Tx, entry: LogEntry): Promise<void> {
  await tx.query(
    `insert into event_log (integration_id, type, severity, title, actor_id, details)
     values ($1, $2, $3, $4, $5, $6)`,
    [entry.integrationId, entry.type, entry.severity, entry.title, entry.actorId, entry.details],
  );
}

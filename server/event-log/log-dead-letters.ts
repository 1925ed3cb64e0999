import type { Database } from '#platform/database/database.ts';
import { isUuid } from '#platform/database/scope.ts';
import { recordLogEntry } from './add-entry.ts';

/** Adds dead letters to the event log of each integration. */
export async function logDeadLetters(db: Database, byGroup: Readonly<Record<string, number>>): Promise<void> {
  for (const [integrationId, count] of Object.entries(byGroup)) {
    if (!isUuid(integrationId)) continue;
    const title =
      count === 1 ? '1 webhook could not be processed' : `${count} webhooks could not be processed`;
    await recordLogEntry(db, {
      integrationId,
      type: 'dead_letters',
      severity: 'error',
      title,
      details: { count },
    });
  }
}

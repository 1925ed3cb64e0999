import type { Database } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Reader } from './log-entry.ts';
import { deleteMarks, saveMark, saveReadUntil } from './store.ts';

/** For this reader alone. @throws AppError `not_found` when the log has no such entry. */
export async function markEntry(
  db: Database,
  reader: Reader,
  entryId: string,
  isRead: boolean,
): Promise<void> {
  const isThere = await db.withScope({ integrationId: reader.integrationId }, (tx) =>
    saveMark(tx, reader, entryId, isRead),
  );
  if (!isThere) throw new AppError('not_found', { detail: 'Entry not found.' });
}

/** Everything up to a time, or all there is, for this reader alone. */
export async function markAllRead(db: Database, reader: Reader, upTo: string | undefined): Promise<void> {
  await db.withScope({ integrationId: reader.integrationId }, async (tx) => {
    await Promise.all([saveReadUntil(tx, reader, upTo), deleteMarks(tx, reader, upTo)]);
  });
}

import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import { hasExportStatement } from './queue-store.ts';

const maxAgeMs = 30_000;

/**
 * Whether any integration has an export, so that polling costs nothing without one. Notifications of the database refresh it, and
 * its age does in case one is lost.
 */
export function makeHasExport({
  db,
  log,
  listener,
}: {
  db: Database;
  log: Log;
  listener: Pick<Listener, 'on' | 'onConnect'>;
}): () => Promise<boolean> {
  let hasExport = false;
  let newest = 0;
  let readAt = -Infinity;
  const refresh = async (): Promise<void> => {
    const mine = (newest += 1);
    readAt = performance.now();
    try {
      const { rows } = await db.statement<{ hasExport: boolean }>(hasExportStatement);
      if (mine === newest) hasExport = rows[0]?.hasExport === true;
    } catch (error) {
      log.warn({ err: error }, 'exports of traces not read, will retry');
    }
  };
  listener.on('trace_exports_changed', () => void refresh());
  listener.onConnect(() => void refresh());
  return async () => {
    if (performance.now() - readAt > maxAgeMs) await refresh();
    return hasExport;
  };
}

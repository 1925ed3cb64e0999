import type { Database } from '#platform/database/database.ts';
import type { Listener } from '#platform/database/listener.ts';
import type { Log } from '#platform/runtime/log.ts';
import { integrationsWithExportStatement } from './queue-store.ts';

interface KnownExports {
  hasAny(): boolean;
  has(integrationId: string): boolean;
  /** Call it before this process stores events. */
  start(): Promise<void>;
  refreshIfOld(): Promise<void>;
}

const maxAgeMs = 30_000;

/**
 * The integrations with an export, as far as this process knows, so that the others cost nothing. Changes are announced. Calls `onNew` for an export
 * that was saved since the start: this process may have stored runs before it knew the export.
 */
export function makeKnownExports({
  db,
  log,
  listener,
  onNew,
}: {
  db: Database;
  log: Log;
  listener: Pick<Listener, 'on' | 'onConnect'>;
  onNew(integrationId: string): Promise<void>;
}): KnownExports {
  let known = new Set<string>();
  /** Those that need no call of `onNew`. */
  let seen = new Set<string>();
  let isStarted = false;
  let newest = 0;
  let readAt = -Infinity;
  const refresh = async (): Promise<void> => {
    const mine = (newest += 1);
    readAt = performance.now();
    try {
      const { rows } = await db.statement<{ group_id: string }>(integrationsWithExportStatement);
      if (mine !== newest) return;
      known = new Set(rows.map((row) => row.group_id));
      seen = isStarted ? seen.intersection(known) : known;
      for (const integrationId of known.difference(seen)) {
        await onNew(integrationId);
        seen.add(integrationId);
      }
    } catch (error) {
      log.warn({ err: error }, 'integrations with trace export not loaded');
    }
  };
  listener.on('trace_exports_changed', () => void refresh());
  listener.onConnect(() => void refresh());
  return {
    hasAny: () => known.size > 0,
    has: (integrationId) => known.has(integrationId),
    start: async () => {
      await refresh();
      isStarted = true;
    },
    refreshIfOld: async () => {
      if (performance.now() - readAt > maxAgeMs) await refresh();
    },
  };
}

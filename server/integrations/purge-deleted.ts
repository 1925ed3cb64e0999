import type { Tx } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { listDeletedIntegrations, purgeRows } from './store.ts';

export interface PurgeDeps extends Pick<SharedDeps, 'db' | 'log'> {
  everyMs?: number;
  /** Deletes some messages of the queue with their bodies. Returns 0 when there are no more. */
  purgeMessages(tx: Tx): Promise<number>;
}

const everyMs = 60_000;

/** Rows per table and transaction. A transaction takes about ten milliseconds, so nobody waits for a purge. */
const rowsAtOnce = 1000;

/** Deletes the data of deleted integrations in small steps. Several processes may do it at once. */
export function makePurge(deps: PurgeDeps): Service {
  const { db, log, purgeMessages } = deps;
  return repeat(log, 'purge of deleted integrations', deps.everyMs ?? everyMs, async (signal) => {
    for (const integrationId of await db.withScope('service', listDeletedIntegrations)) {
      let rows = 0;
      for (let more = 1; more > 0 && !signal.aborted; rows += more)
        more = await db.withScope(
          { integrationId },
          async (tx) => (await purgeMessages(tx)) + (await purgeRows(tx, rowsAtOnce)),
        );
      if (rows > 0) log.info({ integrationId, rows }, 'deleted integration purged');
    }
  });
}

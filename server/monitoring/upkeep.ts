import type { Clock } from '#platform/runtime/clock.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { joinBlocks, type JoinBlocksDeps } from './join-blocks.ts';
import { dayMs } from './time-span.ts';
import { deleteRuns, listIntegrationIds, listRunsBefore } from './upkeep-store.ts';

export interface UpkeepDeps extends JoinBlocksDeps {
  log: Log;
  clock: Clock;
  /** Days that runs and jobs are kept; undefined for good. */
  runRetentionDays: number | undefined;
  /** What other modules do for each integration; 0 when there is no more to do. */
  others?: readonly ((integrationId: string) => Promise<number>)[];
  everyMs?: number;
}

const tenMinutesMs = 600_000;

/** Deleted in one transaction, with about four times as many jobs: some ten milliseconds. */
const runsAtOnce = 500;

/** Adds past hours up and forgets old runs, of one integration after the other. Several processes may do it at once. */
export function makeUpkeep(deps: UpkeepDeps): Service {
  return repeat(deps.log, 'monitoring upkeep', deps.everyMs ?? tenMinutesMs, async (signal) => {
    for (const integrationId of await deps.db.withScope('service', listIntegrationIds)) {
      await untilDone(signal, () => joinBlocks(deps, integrationId, deps.clock()));
      await untilDone(signal, () => forgetRuns(deps, integrationId));
      for (const other of deps.others ?? []) await untilDone(signal, () => other(integrationId));
    }
  });
}

/** Deletes the oldest runs beyond the retention, with attempts and jobs. Returns how many; 0 when there are no more. */
async function forgetRuns(
  { db, lock, clock, runRetentionDays }: UpkeepDeps,
  integrationId: string,
): Promise<number> {
  if (runRetentionDays === undefined) return 0;
  const before = new Date(clock() - runRetentionDays * dayMs);
  return db.withScope({ integrationId }, async (tx) => {
    const runIds = await listRunsBefore(tx, integrationId, before, runsAtOnce);
    if (runIds.length === 0) return 0;
    await lock(tx, [integrationId]);
    await deleteRuns(tx, integrationId, runIds);
    return runIds.length;
  });
}

async function untilDone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await step()) > 0);
}

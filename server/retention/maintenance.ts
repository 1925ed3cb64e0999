import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { deleteOldRuns, makeDeleteOldJobs, type DeleteOldRunsDeps } from './delete-old-runs.ts';
import { finalizeHours, type FinalizeHoursDeps } from '#server/rollups/buckets/finalize-hours.ts';
import { listIntegrationIds } from './maintenance-store.ts';

export interface MaintenanceDeps extends FinalizeHoursDeps, DeleteOldRunsDeps {
  log: Log;
  /** Tasks of other modules for each integration. A task returns 0 when nothing is left to do. */
  others?: readonly ((integrationId: string) => Promise<number>)[];
  everyMs?: number;
}

const tenMinutesMs = 600_000;

/**
 * Finalizes past hours and deletes old runs, one integration after the other. An integration that fails or always has more
 * work does not delay the others. Several processes may run it at the same time.
 */
export function makeMaintenance(deps: MaintenanceDeps): Service {
  const deleteOldJobs = makeDeleteOldJobs(deps);
  return repeat(deps.log, 'maintenance', deps.everyMs ?? tenMinutesMs, async (signal) => {
    for (const integrationId of await deps.db.withScope('service', listIntegrationIds))
      await maintain(integrationId, signal).catch((err: unknown) => {
        if (!signal.aborted) deps.log.warn({ err, integrationId }, 'maintenance failed');
      });
  });

  async function maintain(integrationId: string, signal: AbortSignal): Promise<void> {
    await untilDone(signal, () => finalizeHours(deps, integrationId, deps.clock()));
    await untilDone(signal, () => deleteOldRuns(deps, integrationId));
    await deleteOldJobs(integrationId, signal);
    for (const other of deps.others ?? []) await untilDone(signal, () => other(integrationId));
  }
}

/** Some minutes of work. The rest waits for the next run. */
const maxRounds = 2000;

async function untilDone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  for (let steps = 0; steps < maxRounds && !signal.aborted; steps += 1) if ((await step()) === 0) return;
}

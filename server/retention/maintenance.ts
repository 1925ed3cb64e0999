import type { Tx } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { makeFailureLog } from '#platform/runtime/tasks/failure-log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import {
  deleteOldPullRequests,
  deleteOldRuns,
  makeDeleteOldJobs,
  type DeleteOldRunsDeps,
} from './delete-old-runs.ts';
import { addUpDays, type AddUpDaysDeps } from '#server/rollups/add-up-days.ts';
import { listIntegrationIds } from './delete-old-runs-store.ts';

export interface MaintenanceDeps extends AddUpDaysDeps, DeleteOldRunsDeps {
  log: Log;
  /** Deletions of other modules, which share a transaction. One returns 0 when nothing is left to delete. */
  others?: readonly ((tx: Tx, integrationId: string) => Promise<number>)[];
  everyMs?: number;
}

const tenMinutesMs = 600_000;
/** Some minutes of work. The rest waits for the next run. */
const maxSteps = 2000;

/**
 * Adds up past days and deletes old runs, one integration after the other. An integration that fails or always has more
 * work does not delay the others. Several processes may run it at the same time.
 */
export function makeMaintenance(deps: MaintenanceDeps): Service {
  const { others = [] } = deps;
  const deleteOldJobs = makeDeleteOldJobs(deps);
  const failures = makeFailureLog(deps.log, { message: 'maintenance failed' });
  return repeat(deps.log, 'maintenance', deps.everyMs ?? tenMinutesMs, async (signal) => {
    for (const integrationId of await deps.db.withScope('service', listIntegrationIds))
      await maintain(integrationId, signal).then(failures.succeeded, (error: unknown) => {
        if (!signal.aborted) failures.failed(error, { integrationId });
      });
  });

  async function maintain(integrationId: string, signal: AbortSignal): Promise<void> {
    await untilDone(signal, () => addUpDays(deps, integrationId, deps.clock()), maxSteps);
    await untilDone(signal, () => deleteOldRuns(deps, integrationId), maxSteps);
    await deleteOldJobs(integrationId, signal);
    await untilDone(signal, () => deleteOldPullRequests(deps, integrationId), maxSteps);
    const deleteOthers = async (tx: Tx): Promise<number> => {
      const counts = await Promise.all(others.map((each) => each(tx, integrationId)));
      return counts.reduce((sum, count) => sum + count, 0);
    };
    await untilDone(signal, () => deps.db.withScope({ integrationId }, deleteOthers), maxSteps);
  }
}

import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { forgetRuns, makeForgetJobs, type ForgetRunsDeps } from './forget-runs.ts';
import { joinBlocks, type JoinBlocksDeps } from './join-blocks.ts';
import { listIntegrationIds } from './upkeep-store.ts';

export interface UpkeepDeps extends JoinBlocksDeps, ForgetRunsDeps {
  log: Log;
  /** What other modules do for each integration; 0 when there is no more to do. */
  others?: readonly ((integrationId: string) => Promise<number>)[];
  everyMs?: number;
}

const tenMinutesMs = 600_000;

/** Adds past hours up and forgets old runs, of one integration after the other. Several processes may do it at once. */
export function makeUpkeep(deps: UpkeepDeps): Service {
  const forgetJobs = makeForgetJobs(deps);
  return repeat(deps.log, 'monitoring upkeep', deps.everyMs ?? tenMinutesMs, async (signal) => {
    for (const integrationId of await deps.db.withScope('service', listIntegrationIds)) {
      await untilDone(signal, () => joinBlocks(deps, integrationId, deps.clock()));
      await untilDone(signal, () => forgetRuns(deps, integrationId));
      await forgetJobs(integrationId, signal);
      for (const other of deps.others ?? []) await untilDone(signal, () => other(integrationId));
    }
  });
}

async function untilDone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await step()) > 0);
}

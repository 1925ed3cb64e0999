import type { UsualDurations } from '#contract/runs/usual.ts';
import type { Tx } from '#platform/database/database.ts';
import { listUsualDurations } from './usual-store.ts';

/** How long a run and its jobs usually take, as of the run: later runs do not count. */
export async function readUsualDurations(
  tx: Tx,
  integrationId: string,
  runId: number,
): Promise<UsualDurations> {
  const rows = await listUsualDurations(tx, integrationId, runId);
  return {
    runMs: rows.find(({ name }) => name === null)?.ms ?? null,
    jobs: rows.flatMap(({ name, ms }) => (name === null ? [] : [{ name, ms }])),
  };
}

import type { Database, Tx } from '#platform/database/database.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import { deleteJobs, deleteRuns, findOrphanJobs, listRunsBefore } from './delete-old-runs-store.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

export interface DeleteOldRunsDeps {
  db: Database;
  clock: Clock;
  /** Makes the transaction the only writer of the integration's numbers. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
  /** Days that runs and jobs are kept; undefined for good. */
  runRetentionDays: number | undefined;
}

/** Deleted in one transaction, with about four times as many jobs: some ten milliseconds. */
const runsAtOnce = 500;

/** As many as runs at once have. */
const jobsAtOnce = 2000;

/** Looked at in one turn: some tenths of a second, and all of ten million in a day or two. */
const jobsATurn = 50_000;

/** Deletes the oldest runs beyond the retention, with attempts and jobs. Returns how many; 0 when there are no more. */
export async function deleteOldRuns(
  { db, lock, clock, runRetentionDays }: DeleteOldRunsDeps,
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

export type DeleteOldJobs = (integrationId: string, signal: AbortSignal) => Promise<void>;

/**
 * Deletes jobs beyond the retention whose run is not stored: where runs are not told of, that is all of them. No index finds
 * them, for each job would pay for it: they are walked by their key, each turn from where the one before has come to.
 */
export function makeDeleteOldJobs({ db, lock, clock, runRetentionDays }: DeleteOldRunsDeps): DeleteOldJobs {
  const reached = new Map<string, string>();
  return async (integrationId, signal) => {
    if (runRetentionDays === undefined) return;
    const before = new Date(clock() - runRetentionDays * dayMs);
    for (let seen = 0; seen < jobsATurn && !signal.aborted; seen += jobsAtOnce) {
      const last = await db.withScope({ integrationId }, async (tx) => {
        const after = reached.get(integrationId) ?? '0';
        const found = await findOrphanJobs(tx, integrationId, { after, before, most: jobsAtOnce });
        if (found.runIds.length > 0) {
          await lock(tx, [integrationId]);
          await deleteJobs(tx, integrationId, found.runIds, before);
        }
        return found.last;
      });
      if (last === null) return void reached.delete(integrationId);
      reached.set(integrationId, last);
    }
  };
}

import type { Tx } from '#platform/database/database.ts';
import {
  deleteJobs,
  deletePullRequests,
  deleteRuns,
  findOrphanJobs,
  listRunsBefore,
} from './delete-old-runs-store.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { dayMs } from '#platform/runtime/time-units.ts';

export interface DeleteOldRunsDeps extends Pick<SharedDeps, 'db' | 'clock'> {
  /** Locks the integrations' numbers for other writers until the end of the transaction. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
  /** Days until runs and jobs are deleted; undefined: never. */
  runRetentionDays: number | undefined;
}

/** Runs per transaction, with about four times as many jobs: takes tens of milliseconds. */
const runsAtOnce = 500;

/** About the number of jobs of `runsAtOnce` runs. */
const jobsAtOnce = 2000;

/** Jobs scanned per maintenance run: some tenths of a second. Ten million jobs take a day or two. */
const jobsPerRun = 50_000;

/** Deletes the oldest runs beyond the retention, with attempts and jobs. Returns their number: 0 when none are left. */
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
 * Deletes jobs beyond the retention whose run is not stored: all jobs, when the integration receives no `workflow_run` events.
 * An index for them would cost every job a write, so this scans the jobs by key and continues where the last call stopped.
 */
export function makeDeleteOldJobs({ db, lock, clock, runRetentionDays }: DeleteOldRunsDeps): DeleteOldJobs {
  const reached = new Map<string, string>();
  return async (integrationId, signal) => {
    if (runRetentionDays === undefined) return;
    const before = new Date(clock() - runRetentionDays * dayMs);
    for (let seen = 0; seen < jobsPerRun && !signal.aborted; seen += jobsAtOnce) {
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

/** Pull requests, reviews and deployments of each kind per transaction: takes tens of milliseconds. */
const pullRequestsAtOnce = 500;

/**
 * Deletes pull requests, reviews and deployments that were not changed within the retention of runs. Returns their number: 0 when none are left. One that is
 * changed later is stored again.
 */
export async function deleteOldPullRequests(
  { db, lock, clock, runRetentionDays }: DeleteOldRunsDeps,
  integrationId: string,
): Promise<number> {
  if (runRetentionDays === undefined) return 0;
  const before = new Date(clock() - runRetentionDays * dayMs);
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    return deletePullRequests(tx, integrationId, before, pullRequestsAtOnce);
  });
}

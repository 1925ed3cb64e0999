import { backOffMs } from '#contract/base/back-off.ts';
import type { FailureReason } from '#contract/failures/failure-reason.ts';
import { isDatabaseAway } from '#platform/database/database-error.ts';
import type { Database } from '#platform/database/database.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { minuteMs } from '#platform/runtime/time-units.ts';
import { lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { requestCommitsOf } from '../commits/request-commits.ts';
import { storeReasons } from '../storing/store-reasons.ts';
import { deletePending, rescheduleReading, type DueFailure } from './reading-store.ts';

export interface StoreReadDeps extends Pick<SharedDeps, 'db' | 'sealer'> {
  /** Pushes updates of runs and jobs after the commit. */
  publish(updates: readonly CommittedUpdate[]): void;
}

/** A failure whose log was read or given up. */
export type ReadReason = DueFailure & { log: FailureReason | 'unreadable' };

/** A forge may offer the log some seconds after the job. Each failure waits at most some minutes for its turn. */
const logBackOff = { leastMs: 10_000, firstMs: 20_000, longestMs: 10 * minuteMs };
const maxTries = 5;

export const isLast = (tries: number): boolean => tries + 1 >= maxTries;

/** Counts a try and schedules the next one. False when it was the last. */
export async function retryLater(db: Database, integrationId: string, failure: DueFailure): Promise<boolean> {
  if (isLast(failure.tries)) return false;
  await db.withScope({ integrationId }, (tx) =>
    rescheduleReading(tx, integrationId, failure, backOffMs(logBackOff, failure.tries)),
  );
  return true;
}

/**
 * Stores reasons in one transaction. If that fails, stores them one by one, so that one of them does not keep the others from being
 * stored. Returns how many are without a log. @throws when some are stored later
 */
export async function storeRead(
  deps: StoreReadDeps,
  integrationId: string,
  read: readonly ReadReason[],
): Promise<number> {
  if (read.length === 0) return 0;
  const runIds = [...new Set(read.map(({ runId }) => runId))];
  // Before the reasons, so that notifications that wait for a reason wait for the commits as well.
  await deps.db.withScope({ integrationId }, (tx) => requestCommitsOf(tx, integrationId, runIds));
  try {
    await store(deps, integrationId, read);
    return read.filter(({ log }) => log === 'unreadable').length;
  } catch {
    return await storeEach(deps, integrationId, read);
  }
}

async function storeEach(
  deps: StoreReadDeps,
  integrationId: string,
  read: readonly ReadReason[],
): Promise<number> {
  const errors: unknown[] = [];
  let unreadable = 0;
  for (const each of read)
    try {
      unreadable += await storeOne(deps, integrationId, each);
    } catch (error) {
      // The others would fail as well.
      if (isDatabaseAway(error)) throw error;
      errors.push(error);
    }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} reasons were not stored`);
  return unreadable;
}

/** Returns 1 when the reason is stored without a log. @throws when it is stored later */
async function storeOne(deps: StoreReadDeps, integrationId: string, read: ReadReason): Promise<0 | 1> {
  try {
    await store(deps, integrationId, [read]);
    return read.log === 'unreadable' ? 1 : 0;
  } catch (error) {
    if (isDatabaseAway(error) || (await retryLater(deps.db, integrationId, read))) throw error;
    await store(deps, integrationId, [{ ...read, log: 'unreadable' }]);
    return 1;
  }
}

async function store(
  { db, sealer, publish }: StoreReadDeps,
  integrationId: string,
  read: readonly ReadReason[],
): Promise<void> {
  const updates = await db.withScope({ integrationId }, async (tx) => {
    await lockStreams(tx, [integrationId]);
    const pending = await deletePending(tx, integrationId, read);
    return storeReasons(tx, sealer, integrationId, pending);
  });
  publish(updates);
}

import type { Database, Tx } from '#platform/database/database.ts';
import { bucketKinds } from './bucket-kinds.ts';
import {
  alignedStart,
  bucketHours,
  coverSpan,
  isFinalized,
  longestBucket,
  shortestBucket,
  type RollupBucket,
  type RollupState,
} from './rollup-buckets.ts';
import {
  clearDirtyHour,
  findFirstDirtyHour,
  findNextHour,
  findNow,
  replaceBucketRows,
  setFinalizedUntil,
} from './finalize-hours-store.ts';
import { findRollupState } from './rollup-state-store.ts';
import { aggregateRollups } from '#server/rollups/rollup-store.ts';
import { floor } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

export interface FinalizeHoursDeps {
  db: Database;
  /** Locks the integrations' numbers for other writers until the end of the transaction. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
}

/** An hour is finalized this long after its end. A later event marks the hour as dirty, and the next run recomputes it. */
const waitMs = 600_000;

/**
 * Takes one step for an integration and returns 1, or returns 0 when nothing is left to do. A step recomputes the first dirty
 * hour, or else finalizes the next hour, the next six hours when all of them are over, or all hours up to the next numbers.
 * It also computes the buckets that contain these hours.
 */
export async function finalizeHours(
  { db, lock }: FinalizeHoursDeps,
  integrationId: string,
  now: number,
): Promise<number> {
  const endedAt = (time: number) => floor(time - waitMs, hourMs);
  // Dirty hours can be as many as the hours since 1970, so only those in one longest bucket are read. When no hour is finalized
  // yet, the state starts with the first numbers.
  const findState = async (tx: Tx) => {
    const from = alignedStart((await findFirstDirtyHour(tx, integrationId)) ?? 0);
    const state = await findRollupState(tx, integrationId, { from, to: from + longestBucket * hourMs });
    if (state.finalizedUntil > 0) return state;
    const first = await findNextHour(tx, integrationId, 0);
    return { ...state, finalizedUntil: alignedStart(first ?? Number.POSITIVE_INFINITY) };
  };
  if (nextStep(await db.withScope({ integrationId }, findState), endedAt(now)) === undefined) return 0;
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    const [state, databaseNow] = await Promise.all([findState(tx), findNow(tx)]);
    // A process whose clock is ahead must not finalize the hour in progress.
    const ended = endedAt(Math.min(now, databaseNow));
    const step = nextStep(state, ended);
    if (step === undefined) return 0;
    const { start } = step;
    const isDirty = start < state.finalizedUntil;
    const end = isDirty ? step.end : Math.max(step.end, await emptyUntil(tx, integrationId, start, ended));
    const finalized = {
      ...state,
      finalizedUntil: Math.max(state.finalizedUntil, end),
      dirtyHours: new Set([...state.dirtyHours].filter((dirtyHour) => dirtyHour !== start)),
    };
    for (const hours of bucketHours) {
      const bucket = { start: floor(start, hours * hourMs), hours };
      // A bucket with another dirty hour is computed together with its last dirty hour.
      if (isFinalized(bucket, finalized)) await aggregateBucket(tx, integrationId, bucket, finalized);
    }
    await (isDirty ? clearDirtyHour(tx, integrationId, start) : setFinalizedUntil(tx, integrationId, end));
    return 1;
  });
}

/** The first dirty hour, or else the next hours that are over: a whole shortest bucket, or one hour. */
function nextStep(
  { finalizedUntil, dirtyHours }: RollupState,
  ended: number,
): { start: number; end: number } | undefined {
  const hoursFrom = (start: number, hours: number) => ({ start, end: start + hours * hourMs });
  if (dirtyHours.size > 0) return hoursFrom(Math.min(...dirtyHours), 1);
  const bucket = hoursFrom(finalizedUntil, shortestBucket);
  if (bucket.end <= ended && finalizedUntil === floor(finalizedUntil, shortestBucket * hourMs)) return bucket;
  return finalizedUntil < ended ? hoursFrom(finalizedUntil, 1) : undefined;
}

/**
 * The start of the shortest bucket that contains the next numbers. One step skips all empty hours before it, so a single run
 * from long ago costs one step instead of one step for each day since.
 */
async function emptyUntil(tx: Tx, integrationId: string, start: number, ended: number): Promise<number> {
  const next = await findNextHour(tx, integrationId, start);
  return next === undefined ? ended : Math.min(ended, floor(next, shortestBucket * hourMs));
}

/** Aggregates a bucket from shorter buckets, and from single hours where no bucket exists. */
async function aggregateBucket(
  tx: Tx,
  integrationId: string,
  bucket: RollupBucket,
  state: RollupState,
): Promise<void> {
  const span = { from: bucket.start, to: bucket.start + bucket.hours * hourMs };
  const ranges = coverSpan(span, state, bucket.hours - 1);
  await Promise.all(
    bucketKinds.map(async ({ name, kind, by, histograms }) => {
      const rows = await aggregateRollups(tx, { integrationId, kind, ranges }, by, histograms);
      const counted = rows.filter(({ count }) => count > 0);
      await replaceBucketRows(tx, integrationId, bucket, name, counted);
    }),
  );
}

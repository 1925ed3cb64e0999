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
  /** Makes the transaction the only writer of the integration's numbers. */
  lock(tx: Tx, integrationIds: readonly string[]): Promise<unknown>;
}

/** An hour is settled when it has been over for this long; what comes later leaves a dirtyHour, which is mended here. */
const waitMs = 600_000;

/**
 * Settles the next hour of an integration, or six of long ago at once, or all finalizedUntil the next with any numbers, or one that
 * changed since, and adds up the buckets that end there. Returns how many such steps were taken: 0 when there are no more.
 */
export async function finalizeHours(
  { db, lock }: FinalizeHoursDeps,
  integrationId: string,
  now: number,
): Promise<number> {
  const endedAt = (time: number) => floor(time - waitMs, hourMs);
  // Of dirtyHours the first, and others that are in a bucket with it: there may be as many as hours since 1970. Where nothing is
  // settled yet, that begins with the first numbers.
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
    // A clock that is ahead would settle hours that are in progress.
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
      // One with another dirtyHour in it cannot be read: whoever mends its last dirtyHour makes it.
      if (isFinalized(bucket, finalized)) await aggregateBucket(tx, integrationId, bucket, finalized);
    }
    await (isDirty ? clearDirtyHour(tx, integrationId, start) : setFinalizedUntil(tx, integrationId, end));
    return 1;
  });
}

/** The first hour that changed, or else what ended next: the shortest bucket as a whole, or an hour. */
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
 * Where the shortest bucket begins that holds the next numbers: a step over hours without any leaves out no bucket with some,
 * but for those that hold its start, and so a single time of long ago costs one step and not one for each day since.
 */
async function emptyUntil(tx: Tx, integrationId: string, start: number, ended: number): Promise<number> {
  const next = await findNextHour(tx, integrationId, start);
  return next === undefined ? ended : Math.min(ended, floor(next, shortestBucket * hourMs));
}

/** From the shorter buckets in it, and from hours where there are none. */
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

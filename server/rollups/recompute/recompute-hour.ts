import { addToRollups } from '../add-to-rollups.ts';
import type { AddUpDaysDeps } from '../add-up-days.ts';
import { eachOf, histogramNames, sumNames } from '../quantities.ts';
import { findHour } from './recompute-store.ts';
import { countsAnything, keyOf, rollupDeltas } from '../rollup-deltas.ts';
import type { Histogram, RollupRow } from '../rollups.ts';

/**
 * Adds to an hour what its stored runs and jobs count for and the rollups do not have, such as a new metric. Numbers never
 * decrease, because the rollups also count runs that were deleted. Returns whether the hour changed.
 */
export async function recomputeHour(
  { db, lock }: AddUpDaysDeps,
  integrationId: string,
  hour: number,
): Promise<boolean> {
  return db.withScope({ integrationId }, async (tx) => {
    await lock(tx, [integrationId]);
    const { runs, jobs, rollups } = await findHour(tx, integrationId, hour);
    const stored = new Map(rollups.map((row) => [keyOf(row), row]));
    const asNew = <Row>(after: Row) => ({ before: undefined, after });
    const missing = rollupDeltas(runs.map(asNew), jobs.map(asNew))
      .map((row) => missingFrom(stored.get(keyOf(row)), row))
      .filter(countsAnything);
    addToRollups(tx, missing);
    return missing.length > 0;
  });
}

function missingFrom(stored: RollupRow | undefined, counted: RollupRow): RollupRow {
  if (stored === undefined) return counted;
  return {
    ...counted,
    ...eachOf(sumNames, (name) => Math.max(0, counted[name] - stored[name])),
    ...eachOf(histogramNames, (name) => missingCounts(stored[name], counted[name])),
  };
}

function missingCounts(stored: Histogram, counted: Histogram): Histogram {
  // A stored number may be negative: a change of a run subtracts what a new histogram never counted.
  const missing = [...new Set([...stored.keys(), ...counted.keys()])].map(
    (bucket) => [bucket, (counted.get(bucket) ?? 0) - (stored.get(bucket) ?? 0)] as const,
  );
  return new Map(missing.filter(([, count]) => count > 0));
}

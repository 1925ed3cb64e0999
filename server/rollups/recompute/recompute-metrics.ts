import { dayMs } from '#platform/runtime/time-units.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import { addUpDays, type AddUpDaysDeps } from '../add-up-days.ts';
import { floor } from '../time-span.ts';
import { addToRollups } from '../add-to-rollups.ts';
import { eachOf, histogramNames, sumNames } from '../quantities.ts';
import { countsAnything, keyOf, rollupDeltas } from '../rollup-deltas.ts';
import type { Histogram, RollupRow } from '../rollups.ts';
import {
  listHours,
  listIntegrations,
  lockRecomputation,
  type OwnerConnection,
  findHour,
} from './recompute-store.ts';

export interface RecomputeMetricsDeps extends AddUpDaysDeps {
  owner: OwnerConnection;
  /** Ends the work after the hour in progress. */
  signal: AbortSignal;
  say(text: string): void;
}

/** How many hours were read, and how many of them changed. */
export interface Recomputed {
  hours: number;
  changed: number;
}

/** The longest silence while hours are recomputed. */
const sayEveryMs = 5_000;

/**
 * Adds the numbers of a new metric to all stored hours and days, from the stored runs. It takes one transaction for each hour, so
 * a worker waits for one hour at most. Repeating it changes nothing.
 */
export async function recomputeMetrics(deps: RecomputeMetricsDeps): Promise<Recomputed> {
  const { owner, db } = deps;
  if (!(await lockRecomputation(owner)))
    throw new Error('Another recompute-metrics is running. Wait until it ends, then try again.');
  const done: Recomputed = { hours: 0, changed: 0 };
  for (const integrationId of await db.withScope('service', listIntegrations))
    await recomputeIntegration(deps, integrationId, done);
  return done;
}

async function recomputeIntegration(
  deps: RecomputeMetricsDeps,
  integrationId: string,
  done: Recomputed,
): Promise<void> {
  const hours = await deps.db.withScope({ integrationId }, (tx) => listHours(tx, integrationId));
  let saidAt = 0;
  for (const [index, hour] of hours.entries()) {
    if (deps.signal.aborted) return;
    if (await recomputeHour(deps, integrationId, hour)) done.changed += 1;
    done.hours += 1;
    // A dirty day is read hour by hour, so each is added up at once.
    const next = hours[index + 1];
    if (next !== undefined && floor(next, dayMs) !== floor(hour, dayMs))
      await addUpAll(deps, integrationId, hours.length);
    if (index + 1 < hours.length && Date.now() < saidAt + sayEveryMs) continue;
    saidAt = Date.now();
    deps.say(`${integrationId}: ${index + 1} of ${hours.length} hours`);
  }
  // Late events may mark days again meanwhile. A worker adds them up later.
  await addUpAll(deps, integrationId, hours.length);
}

const addUpAll = (deps: RecomputeMetricsDeps, integrationId: string, hours: number): Promise<void> =>
  untilDone(deps.signal, () => addUpDays(deps, integrationId, Date.now()), hours + 1);

/**
 * Adds to an hour what its stored runs and jobs count for and the rollups do not have, such as a new metric. Numbers never
 * decrease, because the rollups also count runs that were deleted. Returns whether the hour changed.
 */
async function recomputeHour(
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

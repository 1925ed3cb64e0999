import { dayMs } from '#platform/runtime/time-units.ts';
import { untilDone } from '#platform/runtime/tasks/until-done.ts';
import { addUpDays, type AddUpDaysDeps } from '../add-up-days.ts';
import { recomputeHour } from './recompute-hour.ts';
import { floor } from '../time-span.ts';
import { listHours, listIntegrations, lockRecomputation, type OwnerConnection } from './recompute-store.ts';

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

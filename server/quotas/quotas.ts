import { Counter, type Registry } from 'prom-client';
import { byteSize } from '#contract/base/byte-size.ts';
import { quotaNames, type QuotaName } from '#contract/integrations/usage.ts';
import { actAs } from '#platform/database/acting-user.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { Clock } from '#platform/runtime/clock.ts';
import type { Service } from '#platform/runtime/service.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { dayOf, describeExceeded, endOfDay, type QuotaLimits } from './quota-day.ts';
import { Tallies, type Amount, type Delta, type Tally } from './tallies.ts';
import { addLogUsage, addUsage, findLogUsage, type SavedUsage } from './usage-store.ts';

export interface Quotas {
  /**
   * Counts before storing, so that requests at the same time cannot pass together. Returns a promise only when this process does not
   * know the counts of the integration yet.
   * @throws AppError `quota_exceeded`
   */
  take(integrationId: string, amount: Amount): Promise<void> | undefined;
  /** Adds the difference between what was taken and what is stored. */
  correct(integrationId: string, difference: Amount): void;
}

export interface QuotasDeps extends Pick<SharedDeps, 'db' | 'log' | 'clock' | 'metrics'> {
  limits: QuotaLimits;
  saveEveryMs?: number;
}

/** In one transaction. Row-level security compares each row with all of them. */
const savedAtOnce = 500;

/**
 * Counts what integrations and their owners store in a day (UTC). All processes add their counts to those in the database once a second
 * and learn the sum, so that a webhook costs no statement. A quota is exceeded by what arrives within about that second.
 */
export function makeQuotas(deps: QuotasDeps): Quotas & Service {
  const { db, log, clock, limits, saveEveryMs = 1000 } = deps;
  const countRefusal = refusalCounter(deps.metrics);
  let day = '';
  let tallies = new Tallies(limits);
  const loading = new Map<string, Promise<Tally | undefined>>();

  const count = (tally: Tally, amount: Amount): void => {
    const quota = tallies.count(tally, amount);
    if (quota === undefined) return;
    countRefusal(quota);
    throw quotaExceeded(describeExceeded(quota, limits), clock());
  };
  const load = (integrationId: string): Promise<Tally | undefined> => {
    const underWay = loading.get(integrationId);
    if (underWay !== undefined) return underWay;
    const ofDay = tallies;
    const loaded = readCounts(db, day, integrationId)
      .then((row) => (row === undefined || ofDay !== tallies ? undefined : tallies.learn(row)))
      .finally(() => loading.delete(integrationId));
    loading.set(integrationId, loaded);
    return loaded;
  };
  const save = () => saveTallies(db, day, tallies, limits);
  const saving = repeat(log, 'usage of quotas', saveEveryMs, save);

  return {
    ...saving,
    stop: async () => {
      await saving.stop();
      await save().catch((error: unknown) => log.warn({ err: error }, 'usage of quotas not saved'));
    },
    take: (integrationId, amount) => {
      const today = dayOf(clock());
      if (today !== day) {
        day = today;
        tallies = new Tallies(limits);
      }
      const tally = tallies.find(integrationId);
      if (tally !== undefined) return void count(tally, amount);
      // Without a tally the integration was deleted, or the day ended in between.
      return load(integrationId).then((loaded) => loaded && count(loaded, amount));
    },
    correct: (integrationId, difference) => {
      const tally = tallies.find(integrationId);
      if (tally !== undefined) tallies.add(tally, difference);
    },
  };
}

async function saveTallies(db: Database, day: string, tallies: Tallies, limits: QuotaLimits): Promise<void> {
  const all = tallies.deltas();
  for (let from = 0; from < all.length; from += savedAtOnce) {
    const deltas = all.slice(from, from + savedAtOnce);
    const saved = await saveCounts(db, day, deltas, limits);
    for (const delta of deltas) tallies.settle(delta);
    for (const row of saved) tallies.learn(row);
    const kept = new Set(saved.map(({ integrationId }) => integrationId));
    for (const { integrationId } of deltas) if (!kept.has(integrationId)) tallies.forget(integrationId);
  }
}

function refusalCounter(metrics: Registry): (quota: QuotaName) => void {
  const counter = new Counter({
    name: 'forgewatch_quota_refusals_total',
    help: 'Webhooks and test reports refused because a quota was used up, by quota',
    labelNames: ['quota'],
    registers: [metrics],
  });
  for (const quota of quotaNames) counter.inc({ quota }, 0);
  return (quota) => counter.inc({ quota });
}

/** Not as the caller of a request: the owner and others see the same counts. */
async function readCounts(db: Database, day: string, integrationId: string): Promise<SavedUsage | undefined> {
  const none = { integrationId, bytes: 0, events: 0, refused: 0 };
  const [row] = await actAs(undefined, () =>
    db.withScope({ integrationId }, (tx) => addUsage(tx, day, [none])),
  );
  return row;
}

function saveCounts(
  db: Database,
  day: string,
  deltas: readonly Delta[],
  limits: QuotaLimits,
): Promise<SavedUsage[]> {
  const integrationIds = deltas.map(({ integrationId }) => integrationId);
  return db.withScope({ integrationIds }, async (tx) => {
    const saved = await addUsage(tx, day, deltas);
    await logFirstRefusals(tx, deltas, saved, limits);
    return saved;
  });
}

/** One entry a day: all processes share the count of refusals. */
async function logFirstRefusals(
  tx: Tx,
  deltas: readonly Delta[],
  saved: readonly SavedUsage[],
  limits: QuotaLimits,
): Promise<void> {
  const refusedOf = new Map(saved.map(({ integrationId, refused }) => [integrationId, refused]));
  for (const { integrationId, refused, refusedFor } of deltas) {
    if (refusedFor === undefined || refusedOf.get(integrationId) !== refused) continue;
    const { title } = describeExceeded(refusedFor, limits);
    await addLogEntry(tx, {
      integrationId,
      type: 'integration.quota_exceeded',
      severity: 'warning',
      title: `${title}. Webhooks and test reports are refused until 00:00 UTC`,
      details: { quota: refusedFor },
    });
  }
}

function quotaExceeded({ title, setting }: { title: string; setting: string }, now: number): AppError {
  return new AppError('quota_exceeded', {
    detail: `${title}. It begins again at 00:00 UTC. The operator can raise ${setting}.`,
    retryAfterSeconds: Math.max(1, Math.ceil((endOfDay(now) - now) / 1000)),
  });
}

interface LogQuotaDeps {
  db: Database;
  clock: Clock;
  limits: { logBytesPerPersonPerDay: number };
}

/**
 * Refuses a person who had read too much from forges today. It is exceeded by what their requests read at the same time.
 * @throws AppError `quota_exceeded`
 */
export async function refuseUsedUp({ db, clock, limits }: LogQuotaDeps, readerId: string): Promise<void> {
  const limit = limits.logBytesPerPersonPerDay;
  const now = clock();
  const used = await actAs(undefined, () =>
    db.withScope('service', (tx) => findLogUsage(tx, readerId, dayOf(now))),
  );
  if (limit === 0 || used < limit) return;
  const title = `Your quota of ${byteSize(limit)} a day for logs is used up, but logs that are stored can still be read`;
  throw quotaExceeded({ title, setting: 'LOG_BYTES_PER_PERSON_PER_DAY' }, now);
}

export async function addLogBytes(
  { db, clock }: Pick<LogQuotaDeps, 'db' | 'clock'>,
  readerId: string,
  bytes: number,
): Promise<void> {
  await db.withScope('service', (tx) => addLogUsage(tx, readerId, dayOf(clock()), bytes));
}

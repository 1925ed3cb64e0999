import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import {
  aggregateRollups,
  total,
  type Grouping,
  type RollupFilter,
  type Sums,
} from '#server/rollups/dashboards/aggregate-store.ts';
import { coverFinalized, coverOpen, type RollupState } from '#server/rollups/dashboards/cover-span.ts';
import { floor, stepFinder, usesUtcDays, type TimeSpan } from '#server/rollups/time-span.ts';
import { hourMs } from '#platform/runtime/time-units.ts';

/** Aggregates the numbers of a span by group. Histograms that are not requested are empty. */
export type AggregateSpan = (
  filter: RollupFilter,
  span: TimeSpan,
  by: Grouping['by'],
  histograms?: Grouping['histograms'],
) => Promise<readonly Sums[]>;

/** In groups of about a kilobyte, for all integrations together. */
const maxSize = 30_000;
/** A large answer takes half a megabyte. */
const answerSize = 500;

/**
 * Caches the sums of finalized hours, so that a dashboard reads only the hours that are not finalized, and whole answers until an
 * event is stored or the next hour begins, because all open dashboards ask again after an update. Versions are part of the keys
 * and come from the snapshot of the reading transaction, so nothing has to be invalidated.
 */
export class DashboardCache {
  readonly #values = new LRUCache<string, Promise<unknown>>({ maxSize });

  /** `changes` differs after each transaction that stored events. */
  answer<T>(
    { now, ...key }: { integrationId: string; question: unknown; changes: string; now: number },
    read: () => Promise<T>,
  ): Promise<T> {
    return this.#cached({ ...key, hour: floor(now, hourMs) }, read, () => answerSize);
  }

  /** `state` must come from the snapshot of `tx`. */
  sumsIn(tx: Tx, state: RollupState): AggregateSpan {
    return async (filter, span, by, histograms = []) => {
      const grouping = { by, histograms, stepOf: stepFinder(span) };
      const usesDays = !by.includes('at') || usesUtcDays(span);
      const past = { ...span, to: Math.min(span.to, state.finalizedUntil) };
      const sumPast = () => aggregateRollups(tx, filter, coverFinalized(past, state, usesDays), grouping);
      const key = { version: state.version, filter, past, grouping };
      const [finalized, open] = await Promise.all([
        this.#cached(key, sumPast, (sums) => sums.length + 1),
        aggregateRollups(tx, filter, coverOpen(span, state), grouping),
      ]);
      return open.length === 0 ? finalized : mergeGroups([...finalized, ...open], by);
    };
  }

  /** Requests for the same value share one read. A failed read is not cached. */
  #cached<T>(key: object, read: () => Promise<T>, sizeOf: (value: T) => number): Promise<T> {
    const text = JSON.stringify(key);
    const known = this.#values.get(text);
    if (known !== undefined) return known as Promise<T>;
    const value = read();
    this.#values.set(text, value, { size: 1 });
    value.then(
      (result) => this.#values.set(text, value, { size: sizeOf(result) }),
      () => this.#values.delete(text),
    );
    return value;
  }
}

/** Adds up groups that have the same dimensions. */
function mergeGroups(groups: readonly Sums[], by: Grouping['by']): Sums[] {
  const merged = new Map<string, Sums>();
  for (const group of groups) {
    const key = JSON.stringify(by.map((name) => group[name]));
    const known = merged.get(key);
    merged.set(key, known === undefined ? group : { ...known, ...total([known, group]) });
  }
  return [...merged.values()];
}

import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import {
  aggregateRollups,
  allDimensions,
  isOfAll,
  total,
  type Dimension,
  type Group,
  type Grouping,
  type RollupFilter,
  type Sums,
} from '#server/rollups/dashboards/aggregate-store.ts';
import { coverFinalized, coverOpen, type RollupState } from '#server/rollups/dashboards/cover-span.ts';
import { floor, stepFinder, usesUtcDays, type TimeSpan } from '#server/rollups/time-span.ts';
import { makeBreaks } from '#platform/runtime/tasks/breaks.ts';
import { hourMs } from '#platform/runtime/time-units.ts';
import { histogramNames, type HistogramName } from '#server/rollups/quantities.ts';

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
    const sumOpen = openSums(tx, state);
    return async (filter, span, by, histograms = []) => {
      const grouping = { by, histograms, stepOf: stepFinder(span) };
      const usesDays = !by.includes('at') || usesUtcDays(span);
      const past = { ...span, to: Math.min(span.to, state.finalizedUntil) };
      const sumPast = () => aggregateRollups(tx, filter, coverFinalized(past, state, usesDays), grouping);
      const key = { version: state.version, filter, past, grouping };
      const [finalized, open] = await Promise.all([
        this.#cached(key, sumPast, (sums) => sums.length + 1),
        sumOpen(filter, span, by, histograms),
      ]);
      return open.length === 0 ? finalized : addOpen(finalized, open, by, histograms);
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

/**
 * Reads the hours that are not finalized once for all sums that are asked for together: their groups are made from the same rows, which
 * have the dimensions and histograms of all of them.
 */
function openSums(
  tx: Tx,
  state: RollupState,
): (...asked: Required<Parameters<AggregateSpan>>) => Promise<Sums[]> {
  const reads = new Map<
    string,
    { by: Set<Dimension>; histograms: Set<HistogramName>; groups: Promise<Sums[]> }
  >();
  return (filter, span, by, histograms) => {
    const key = JSON.stringify([filter, span, isOfAll(filter, by)]);
    let read = reads.get(key);
    if (read === undefined) {
      const wanted = { by: new Set<Dimension>(), histograms: new Set<HistogramName>() };
      // Waits until all that is asked for together is known.
      const groups = Promise.resolve().then(() => {
        reads.delete(key);
        const grouping = {
          by: allDimensions.filter((name) => wanted.by.has(name)),
          histograms: histogramNames.filter((name) => wanted.histograms.has(name)),
          stepOf: stepFinder(span),
        };
        return aggregateRollups(tx, filter, coverOpen(span, state), grouping);
      });
      reads.set(key, (read = { ...wanted, groups }));
    }
    for (const name of by) read.by.add(name);
    for (const name of histograms) read.histograms.add(name);
    return read.groups;
  };
}

/** Adds groups of open hours, which may have more dimensions and histograms, to those of finalized ones. */
async function addOpen(
  finalized: readonly Sums[],
  open: readonly Sums[],
  by: Grouping['by'],
  histograms: Grouping['histograms'],
): Promise<Sums[]> {
  const takeBreak = makeBreaks();
  const keyOf = (group: Group): string => JSON.stringify(by.map((name) => group[name]));
  const openOf = new Map<string, Sums[]>();
  for (const group of open) {
    const key = keyOf(group);
    const same = openOf.get(key);
    if (same === undefined) openOf.set(key, [group]);
    else same.push(group);
    await takeBreak();
  }
  const added: Sums[] = [];
  for (const group of finalized) {
    const key = keyOf(group);
    const same = openOf.get(key);
    openOf.delete(key);
    added.push(same === undefined ? group : merge([group, ...same], by, histograms));
    await takeBreak();
  }
  for (const same of openOf.values()) {
    added.push(merge(same, by, histograms));
    await takeBreak();
  }
  return added;
}

function merge(same: readonly Sums[], by: Grouping['by'], histograms: Grouping['histograms']): Sums {
  const dimensions: Group = Object.fromEntries(by.map((name) => [name, same[0]![name]]));
  return { ...dimensions, ...total(same, histograms) };
}

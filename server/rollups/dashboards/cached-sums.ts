import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import type { Dimension, HistogramName } from '#server/rollups/buckets/bucket-kinds.ts';
import { aggregateRollups, total, type RollupFilter, type Sums } from '#server/rollups/rollup-store.ts';

/** Aggregates rollups by group. Histograms that are not requested are empty. */
export type AggregateRollups = (
  filter: RollupFilter,
  by: readonly Dimension[],
  asked?: readonly HistogramName[],
) => Promise<readonly Sums[]>;

/** Groups in the cache, for all integrations together. A group with histograms takes about a kilobyte. */
const maxGroups = 30_000;

/**
 * Caches the sums of finalized hours, so that a repeated dashboard reads only the hours that are not finalized. Recomputing a
 * dirty hour increments the version of the integration's numbers, which is part of the cache key.
 */
export class CachedSums {
  readonly #sums = new LRUCache<string, readonly Sums[]>({
    maxSize: maxGroups,
    sizeCalculation: (sums) => sums.length + 1,
  });

  /** `version` is the version of the integration's numbers in the snapshot of `tx`. */
  in(tx: Tx, version: number): AggregateRollups {
    return async (filter, by, asked = []) => {
      const finalized = filter.ranges.filter((range) => range.isFinalized);
      const open = filter.ranges.filter((range) => !range.isFinalized);
      const [ofFinalized, ofOpen] = await Promise.all([
        this.#sumFinalized(tx, version, { ...filter, ranges: finalized }, by, asked),
        open.length === 0 ? [] : aggregateRollups(tx, { ...filter, ranges: open }, by, asked),
      ]);
      return ofOpen.length === 0 ? ofFinalized : mergeGroups([...ofFinalized, ...ofOpen], by);
    };
  }

  async #sumFinalized(
    tx: Tx,
    version: number,
    filter: RollupFilter,
    by: readonly Dimension[],
    asked: readonly HistogramName[],
  ): Promise<readonly Sums[]> {
    if (filter.ranges.length === 0) return [];
    const { ranges, ...rest } = filter;
    const places = ranges.map(({ start, hours, at }) => `${start} ${hours} ${at ?? ''}`);
    const key = JSON.stringify([version, rest, by, asked, ...places]);
    const cached = this.#sums.get(key);
    if (cached !== undefined) return cached;
    const sums = await aggregateRollups(tx, filter, by, asked);
    this.#sums.set(key, sums);
    return sums;
  }
}

/** Adds up groups that have the same dimensions. */
function mergeGroups(groups: readonly Sums[], by: readonly Dimension[]): Sums[] {
  const merged = new Map<string, Sums>();
  for (const group of groups) {
    const key = JSON.stringify(by.map((name) => group[name]));
    const known = merged.get(key);
    merged.set(key, known === undefined ? group : { ...known, ...total([known, group]) });
  }
  return [...merged.values()];
}

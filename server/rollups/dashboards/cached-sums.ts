import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import type { Dimension, HistogramName } from '#server/rollups/buckets/bucket-kinds.ts';
import { aggregateRollups, total, type RollupFilter, type Sums } from '#server/rollups/rollup-store.ts';

/** Adds cells up by group. Histograms that are not asked for are empty. */
export type AggregateRollups = (
  filter: RollupFilter,
  by: readonly Dimension[],
  asked?: readonly HistogramName[],
) => Promise<readonly Sums[]>;

/** Groups that are kept, of all integrations together; one with histograms takes about a kilobyte. */
const maxGroups = 30_000;

/**
 * What settled hours added up to when this process last read them. They stay as they are until a gap in them is mended,
 * which gives all of the integration another version: who looks at a dashboard again reads the hour in progress alone.
 */
export class CachedSums {
  readonly #sums = new LRUCache<string, readonly Sums[]>({
    maxSize: maxGroups,
    sizeCalculation: (sums) => sums.length + 1,
  });

  /** Of the snapshot that `tx` sees, in which the integration's numbers have this version. */
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

/** One of each name. */
function mergeGroups(groups: readonly Sums[], by: readonly Dimension[]): Sums[] {
  const merged = new Map<string, Sums>();
  for (const group of groups) {
    const key = JSON.stringify(by.map((name) => group[name]));
    const known = merged.get(key);
    merged.set(key, known === undefined ? group : { ...known, ...total([known, group]) });
  }
  return [...merged.values()];
}

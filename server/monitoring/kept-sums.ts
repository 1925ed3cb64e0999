import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import type { Dimension, HistogramName } from './block-kinds.ts';
import { sumCells, total, type CellFilter, type Sums } from './rollup-store.ts';

/** Adds cells up by group. Histograms that are not asked for are empty. */
export type SumCells = (
  filter: CellFilter,
  by: readonly Dimension[],
  asked?: readonly HistogramName[],
) => Promise<readonly Sums[]>;

/** Groups that are kept, of all integrations together; one with histograms takes about a kilobyte. */
const mostGroups = 30_000;

/**
 * What blocks added up to when they were last read, by process. A block stays as it is until a gap in it is mended, which
 * gives the integration's blocks another version: who looks at the same dashboard again reads the hour in progress alone.
 */
export class KeptSums {
  readonly #sums = new LRUCache<string, readonly Sums[]>({
    maxSize: mostGroups,
    sizeCalculation: (sums) => sums.length + 1,
  });

  /** Of the snapshot that `tx` sees, in which the blocks have this version. */
  in(tx: Tx, version: number): SumCells {
    return async (filter, by, asked = []) => {
      const blocks = filter.pieces.filter(({ isBlock }) => isBlock);
      const hours = filter.pieces.filter(({ isBlock }) => !isBlock);
      const [ofBlocks, ofHours] = await Promise.all([
        this.#sumBlocks(tx, version, { ...filter, pieces: blocks }, by, asked),
        hours.length === 0 ? [] : sumCells(tx, { ...filter, pieces: hours }, by, asked),
      ]);
      return ofHours.length === 0 ? ofBlocks : joinGroups([...ofBlocks, ...ofHours], by);
    };
  }

  async #sumBlocks(
    tx: Tx,
    version: number,
    filter: CellFilter,
    by: readonly Dimension[],
    asked: readonly HistogramName[],
  ): Promise<readonly Sums[]> {
    if (filter.pieces.length === 0) return [];
    const { pieces, ...rest } = filter;
    const places = pieces.map(({ start, hours, at }) => `${start} ${hours} ${at ?? ''}`);
    const key = JSON.stringify([version, rest, by, asked, ...places]);
    const kept = this.#sums.get(key);
    if (kept !== undefined) return kept;
    const sums = await sumCells(tx, filter, by, asked);
    this.#sums.set(key, sums);
    return sums;
  }
}

/** One of each name. */
function joinGroups(groups: readonly Sums[], by: readonly Dimension[]): Sums[] {
  const joined = new Map<string, Sums>();
  for (const group of groups) {
    const key = JSON.stringify(by.map((name) => group[name]));
    const known = joined.get(key);
    joined.set(key, known === undefined ? group : { ...known, ...total([known, group]) });
  }
  return [...joined.values()];
}

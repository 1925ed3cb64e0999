import { LRUCache } from 'lru-cache';
import type { Tx } from '#platform/database/database.ts';
import type { Dimension, HistogramName } from '#server/rollups/buckets/bucket-kinds.ts';
import { sumCells, total, type CellFilter, type Sums } from '#server/rollups/rollup-store.ts';

/** Adds cells up by group. Histograms that are not asked for are empty. */
export type SumCells = (
  filter: CellFilter,
  by: readonly Dimension[],
  asked?: readonly HistogramName[],
) => Promise<readonly Sums[]>;

/** Groups that are kept, of all integrations together; one with histograms takes about a kilobyte. */
const mostGroups = 30_000;

/**
 * What settled hours added up to when this process last read them. They stay as they are until a gap in them is mended,
 * which gives all of the integration another version: who looks at a dashboard again reads the hour in progress alone.
 */
export class KeptSums {
  readonly #sums = new LRUCache<string, readonly Sums[]>({
    maxSize: mostGroups,
    sizeCalculation: (sums) => sums.length + 1,
  });

  /** Of the snapshot that `tx` sees, in which the integration's numbers have this version. */
  in(tx: Tx, version: number): SumCells {
    return async (filter, by, asked = []) => {
      const settled = filter.pieces.filter((piece) => piece.isSettled);
      const open = filter.pieces.filter((piece) => !piece.isSettled);
      const [ofSettled, ofOpen] = await Promise.all([
        this.#sumSettled(tx, version, { ...filter, pieces: settled }, by, asked),
        open.length === 0 ? [] : sumCells(tx, { ...filter, pieces: open }, by, asked),
      ]);
      return ofOpen.length === 0 ? ofSettled : joinGroups([...ofSettled, ...ofOpen], by);
    };
  }

  async #sumSettled(
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

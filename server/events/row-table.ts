import type { Change } from '#server/rollups/rollup-deltas.ts';
import type { StoredObject } from '#server/runs/objects/stored-object.ts';

/** The rows of one kind of object while a batch changes them. */
export interface RowTable<Row> {
  /** Merges `incoming` into its object and returns the object's previous state. */
  apply(incoming: Row): Row | undefined;
  find(key: string): Row | undefined;
  current(row: Row): Row;
  /** `each` must return the same row when it changes nothing. */
  change(each: (row: Row) => Row): void;
  /** Ordered by key, so that concurrent writers cannot deadlock. */
  changes(): Change<Row>[];
}

export function rowTable<Row>({ keyOf, merge }: StoredObject<Row>, stored: readonly Row[]): RowTable<Row> {
  const before = new Map(stored.map((row) => [keyOf(row), row]));
  const current = new Map(before);
  return {
    apply: (incoming) => {
      const key = keyOf(incoming);
      const known = current.get(key);
      current.set(key, known === undefined ? incoming : merge(known, incoming));
      return known;
    },
    find: (key) => current.get(key),
    current: (row) => current.get(keyOf(row)) ?? row,
    change: (each) => {
      for (const [key, row] of current) current.set(key, each(row));
    },
    changes: () =>
      [...current]
        .filter(([key, after]) => before.get(key) !== after)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, after]) => ({ before: before.get(key), after })),
  };
}

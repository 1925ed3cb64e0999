import { compareTexts } from '../locale.ts';

export type SortValue = string | number | null;

/** A time as a value to sort by, the newest first. */
export const timeOf = (time: string | null): number | null => (time === null ? null : Date.parse(time));

/** The column by which people sort a table. */
export interface Sort {
  key: string;
  isDescending: boolean;
}

export type Sorted = 'ascending' | 'descending' | 'none';

export function sortedBy(sort: Sort | undefined, key: string): Sorted {
  if (sort?.key !== key) return 'none';
  return sort.isDescending ? 'descending' : 'ascending';
}

/** Equal rows keep their order. Null is last in both directions, because nothing is known there. */
export function sortRows<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => SortValue,
  isDescending: boolean,
): Row[] {
  return rows
    .map((row) => ({ row, value: sortBy(row) }))
    .toSorted((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      const order =
        typeof a.value === 'number' && typeof b.value === 'number'
          ? a.value - b.value
          : compareTexts(String(a.value), String(b.value));
      return isDescending ? -order : order;
    })
    .map(({ row }) => row);
}

/** Numbers begin with the largest and names with A. The third choice of a column restores the order of the list. */
export function nextSort(sort: Sort | undefined, key: string, isNumber: boolean): Sort | undefined {
  if (sort?.key !== key) return { key, isDescending: isNumber };
  return sort.isDescending === isNumber ? { key, isDescending: !isNumber } : undefined;
}

import type { SavedView } from '#contract/runs/saved-views.ts';

type Filter = SavedView['filter'];

/** Whether both filters select the same runs, regardless of property order. */
export function isSameFilter(one: Filter, other: Filter): boolean {
  return textOf(one) === textOf(other);
}

function textOf(filter: Filter): string {
  const named = Object.entries(filter).filter(([, value]) => value !== undefined);
  return JSON.stringify(named.sort(([one], [other]) => (one < other ? -1 : 1)));
}

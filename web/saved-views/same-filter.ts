import { conditionsOf, type RunFilter } from '#contract/runs/run-filter.ts';

/** Whether both filters select the same runs, however they are written. */
export function isSameFilter(one: RunFilter, other: RunFilter): boolean {
  return meaningOf(one) === meaningOf(other);
}

function meaningOf(filter: RunFilter): string {
  const conditions = conditionsOf(filter).map((condition) =>
    condition.kind === 'facet' ? { ...condition, values: [...new Set(condition.values)].sort() } : condition,
  );
  return JSON.stringify(conditions);
}

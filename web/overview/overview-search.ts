import { overviewRanges, type OverviewRange } from '#contract/metrics/overview.ts';

export interface OverviewSearch {
  range?: OverviewRange | undefined;
}

export function readOverviewSearch({ range }: Record<string, unknown>): OverviewSearch {
  const known = overviewRanges.find((each) => each === range);
  return known === undefined ? {} : { range: known };
}

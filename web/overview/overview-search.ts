import { incidentViews } from '#contract/alerts/incidents.ts';
import { given, readChoice } from '../app/search-values.ts';
import { overviewRanges, type OverviewRange } from '#contract/metrics/overview.ts';

export interface OverviewSearch {
  range?: OverviewRange | undefined;
  /** Which incidents need attention; all when absent. */
  show?: InboxView | undefined;
}

export const defaultRange: OverviewRange = '24h';

export type InboxView = (typeof incidentViews)[number];

export function readOverviewSearch({ range, show }: Record<string, unknown>): OverviewSearch {
  return given({ range: readChoice(overviewRanges, range), show: readChoice(incidentViews, show) });
}

/** The parameters of the list of incidents. */
export const shownIncidents = (show: InboxView | undefined) => ({ status: 'open', show });

import { incidentsPath } from '../../alerts/alert-paths.ts';
import { parseSearch } from '../../app/search-text.ts';
import { userPath } from '../../identity/user-path.ts';
import { integrationsPath } from '../../integrations/integrations-path.ts';
import { numbersPath as metricsPath } from '../../metrics/metrics-paths.ts';
import { readMetricsSearch } from '../../metrics/metrics-search.ts';
import { defaultRange, readOverviewSearch, shownIncidents } from '../../overview/overview-search.ts';
import { numbersPath as overviewPath } from '../../overview/overview-paths.ts';
import { allPath, pagePath } from '../list-paths.ts';

type Search = Record<string, string>;

/** The requests for the numbers of a page. Each page sends them itself when they were not sent early. */
const ofPages: Record<string, (integrationId: string, search: Search, now: number) => string[]> = {
  overview: (integrationId, search) => {
    const { range = defaultRange, show } = readOverviewSearch(search);
    return [overviewPath(integrationId, range), pagePath(incidentsPath(integrationId), shownIncidents(show))];
  },
  metrics: (integrationId, search, now) => [metricsPath(integrationId, readMetricsSearch(search), now)],
};

/** The page of an integration at an address. */
export function openPage({ pathname, search }: Pick<Location, 'pathname' | 'search'>) {
  const [, integrationId, page] = /^\/integrations\/([0-9a-f-]{36})\/([a-z-]+)/.exec(pathname) ?? [];
  return { integrationId, page, search: parseSearch(search) };
}

/** The first requests of the page at an address, made by the functions that the page uses for them. */
export function firstRequests(address: Pick<Location, 'pathname' | 'search'>, now: number): string[] {
  const { integrationId, page, search } = openPage(address);
  if (integrationId === undefined || page === undefined) return [];
  const ofPage = ofPages[page]?.(integrationId, search, now) ?? [];
  return [allPath(integrationsPath), ...ofPage, userPath];
}

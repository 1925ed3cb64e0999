import { incidentsPath } from '../../alerts/alert-paths.ts';
import { allPath, pagePath } from '../../api/list-paths.ts';
import { homePath } from '../../home/home-path.ts';
import { userPath } from '../../identity/user-path.ts';
import { integrationsPath } from '../../integrations/integrations-path.ts';
import { metricsNumbersPath } from '../../metrics/metrics-paths.ts';
import { readMetricsSearch } from '../../metrics/metrics-search.ts';
import { defaultRange, readOverviewSearch, shownIncidents } from '../../overview/overview-search.ts';
import { overviewNumbersPath } from '../../overview/overview-paths.ts';
import { runPath } from '../../runs/run-path.ts';
import type { OpenPage } from './open-page.ts';

/** The requests for what a page shows at first. */
function numbersOf({ page, detail, integrationId, search }: OpenPage, now: number): string[] {
  if (page === 'home') return [homePath];
  if (page === 'runs' && detail !== undefined) return [runPath({ integrationId, runId: detail })];
  if (page === 'overview') {
    const { range = defaultRange, show } = readOverviewSearch(search);
    const incidents = pagePath(incidentsPath(integrationId), shownIncidents(show));
    return [overviewNumbersPath(integrationId, range), incidents];
  }
  return page === 'metrics' ? [metricsNumbersPath(integrationId, readMetricsSearch(search), now)] : [];
}

/**
 * The first requests of a page. The functions that build them are those of the page itself. They are in files without a library,
 * because this becomes a script in the page.
 */
export function firstRequests(page: OpenPage, now: number): string[] {
  return [allPath(integrationsPath), ...numbersOf(page, now), userPath];
}

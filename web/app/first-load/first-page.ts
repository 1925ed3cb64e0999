import type { QueryClient } from '@tanstack/react-query';
import { homeQuery } from '../../home/home-query.ts';
import { userQuery } from '../../identity/use-user.ts';
import { integrationsQuery } from '../../integrations/integrations-query.ts';
import { readMetricsSearch } from '../../metrics/metrics-search.ts';
import { numbersQuery } from '../../metrics/numbers-query.ts';
import { overviewQuery } from '../../overview/overview-query.ts';
import { defaultRange, readOverviewSearch } from '../../overview/overview-search.ts';
import { openPage } from './open-page.ts';

/** On a slow network the page shows its placeholders after that. */
const longestWaitMs = 300;

/**
 * Reads what the early start has requested, and loads the page with `loadRoute`, so that the first rendering shows the page with its
 * numbers. A failure is left to the page.
 */
export async function readFirstPage(client: QueryClient, loadRoute: () => Promise<void>): Promise<void> {
  const { integrationId = '', page, search = {} } = openPage(location) ?? {};
  if (page !== 'home' && !location.pathname.startsWith('/integrations/')) return;
  const reading = [client.prefetchQuery(integrationsQuery), client.prefetchQuery(userQuery)];
  if (page === 'home') reading.push(client.prefetchQuery(homeQuery));
  if (page === 'overview') {
    const { range = defaultRange } = readOverviewSearch(search);
    reading.push(client.prefetchQuery(overviewQuery(integrationId, range)));
  }
  if (page === 'metrics')
    reading.push(client.prefetchQuery(numbersQuery(integrationId, readMetricsSearch(search))));
  await Promise.race([
    Promise.allSettled([...reading, loadRoute()]),
    new Promise((resolve) => setTimeout(resolve, longestWaitMs)),
  ]);
}

import { queryString } from '../api/query-string.ts';
import { metricsQuery, type MetricsSearch } from './metrics-search.ts';

export const metricsPath = (integrationId: string): string => `/api/integrations/${integrationId}/metrics`;

export const metricsNumbersPath = (integrationId: string, search: MetricsSearch, now: number): string =>
  metricsPath(integrationId) + queryString(metricsQuery(search, now));

import type { OverviewRange } from '#contract/metrics/overview.ts';
import { queryString } from '../api/query-string.ts';
import { timeZone } from '../ui/locale.ts';

export const overviewPath = (integrationId: string): string => `/api/integrations/${integrationId}/overview`;

export const overviewNumbersPath = (integrationId: string, range: OverviewRange): string =>
  overviewPath(integrationId) + queryString({ range, timeZone: timeZone() });

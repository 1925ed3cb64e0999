import { queryOptions } from '@tanstack/react-query';
import type { Overview, OverviewRange } from '#contract/metrics/overview.ts';
import { firstReadMs } from '../api/early/first-read.ts';
import { getJson } from '../api/client.ts';
import { numbersPath, overviewPath } from './overview-paths.ts';

export const overviewQuery = (integrationId: string, range: OverviewRange) =>
  queryOptions({
    queryKey: [overviewPath(integrationId), range],
    queryFn: ({ signal }) => getJson<Overview>(numbersPath(integrationId, range), signal),
    staleTime: firstReadMs,
  });

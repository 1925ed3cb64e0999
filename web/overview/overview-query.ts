import { queryOptions } from '@tanstack/react-query';
import type { Overview, OverviewRange } from '#contract/metrics/overview.ts';
import { firstReadMs } from '../api/early/first-read.ts';
import { getJson } from '../api/client.ts';
import { overviewNumbersPath, overviewPath } from './overview-paths.ts';

export const overviewQuery = (integrationId: string, range: OverviewRange) =>
  queryOptions({
    queryKey: [overviewPath(integrationId), range],
    queryFn: ({ signal }) => getJson<Overview>(overviewNumbersPath(integrationId, range), signal),
    staleTime: firstReadMs,
  });

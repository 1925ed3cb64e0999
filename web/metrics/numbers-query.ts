import { queryOptions } from '@tanstack/react-query';
import type { Metrics } from '#contract/metrics/metrics.ts';
import { getJson } from '../api/client.ts';
import { firstReadMs } from '../api/early/first-read.ts';
import { metricsPath, metricsNumbersPath } from './metrics-paths.ts';
import type { MetricsSearch } from './metrics-search.ts';

export const numbersQuery = (integrationId: string, search: MetricsSearch) =>
  queryOptions({
    queryKey: [metricsPath(integrationId), search],
    queryFn: async ({ signal }) => {
      const metrics = await getJson<Metrics>(metricsNumbersPath(integrationId, search, Date.now()), signal);
      return { metrics, search };
    },
    staleTime: firstReadMs,
  });

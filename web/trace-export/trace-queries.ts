import { queryOptions } from '@tanstack/react-query';
import type { TraceExportState } from '#contract/integrations/trace-export.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';

export const tracesPath = (integrationId: string): string =>
  `/api/integrations/${integrationId}/trace-export`;

const askEveryMs = 5000;

export function tracesQuery(integrationId: string) {
  const path = tracesPath(integrationId);
  return queryOptions({
    queryKey: [path],
    queryFn: async ({ signal }) => (await getJson<TraceExportState>(path, signal)).export,
    refetchInterval: readEvery(askEveryMs),
  });
}

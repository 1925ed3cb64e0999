import { useQuery, useQueryClient } from '@tanstack/react-query';
import { failedConclusions, type RunFailures } from '#contract/failures/failures.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { useUpdates } from '../api/live/live.tsx';

/** The failed jobs of an attempt with their reasons, live while shown. A stored reason arrives as an update of its job. */
export function useRunFailures(integrationId: string, runId: number, attempt: number, hasFailed: boolean) {
  const client = useQueryClient();
  const queryKey = ['run-failures', integrationId, runId, attempt];
  const readAgain = (): void => void client.invalidateQueries({ queryKey });
  useUpdates(integrationId, {
    onUpdates: (updates) => {
      const isOfRun = updates.some(
        ({ data }) => data.runId === runId && failedConclusions.includes(data.conclusion),
      );
      if (isOfRun) readAgain();
    },
    onResync: readAgain,
    onConnected: readAgain,
  });
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      getJson<RunFailures>(
        `/api/integrations/${integrationId}/workflows/${runId}/failures${queryString({ attempt: String(attempt) })}`,
        signal,
      ),
    enabled: hasFailed,
  });
}

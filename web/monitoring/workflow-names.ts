import { queryOptions } from '@tanstack/react-query';
import { fetchRuns } from './use-runs.ts';

export const lookedAt = 100;

/** The names of the workflows of the newest runs. */
export const workflowNamesQuery = (integrationId: string) =>
  queryOptions({
    queryKey: ['workflow-names', integrationId],
    queryFn: async ({ signal }) => {
      const { items } = await fetchRuns(integrationId, { limit: lookedAt }, signal);
      return [...new Set(items.flatMap(({ workflowName }) => workflowName ?? []))].sort();
    },
    staleTime: 30_000,
  });

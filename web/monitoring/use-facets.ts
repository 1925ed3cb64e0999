import { useQuery } from '@tanstack/react-query';
import type { WorkflowFacets } from '#contract/monitoring.ts';
import { getJson, queryString } from '../api/client.ts';
import type { RunFilter } from './run-filter.ts';

const freshMs = 10_000;

/** Values to filter by, with how many of the newest runs have them, read while somebody looks at them. */
export function useFacets(integrationId: string, filter: RunFilter, isLookedAt: boolean) {
  return useQuery({
    queryKey: ['run-facets', integrationId, filter],
    queryFn: ({ signal }) =>
      getJson<WorkflowFacets>(
        `/api/integrations/${integrationId}/workflows/facets${queryString(filter)}`,
        signal,
      ),
    enabled: isLookedAt,
    staleTime: freshMs,
  });
}

/** What its numbers are counted of, or why there are none. */
export function facetsNote({ data, error }: ReturnType<typeof useFacets>): string {
  if (data !== undefined) {
    const counted = data.counted.toLocaleString();
    return data.complete ? `Counted in all ${counted} runs` : `Counted in the newest ${counted} runs`;
  }
  return error === null ? 'Counting…' : `The values could not be counted. ${error.message}`;
}

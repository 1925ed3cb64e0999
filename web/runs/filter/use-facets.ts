import { useQuery } from '@tanstack/react-query';
import { maxFacetValues, type WorkflowFacets } from '#contract/runs/runs.ts';
import { getJson } from '../../api/client.ts';
import { queryString } from '../../api/query-string.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { formatNumber } from '../../ui/locale.ts';

const freshMs = 10_000;

/** Filter values with their counts among the newest runs, read while a menu is open. */
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

/** The basis of the counts, or the error; `shown` is the number of listed values. */
export function facetsNote({ data, error }: ReturnType<typeof useFacets>, shown = 0): string {
  if (data !== undefined) {
    const counted = formatNumber(data.counted);
    const others = shown < maxFacetValues ? '' : `The ${shown} most frequent. `;
    return `${others}Counted in ${data.complete ? 'all' : 'the newest'} ${counted} runs`;
  }
  return error === null ? 'Counting…' : `The values could not be counted. ${error.message}`;
}

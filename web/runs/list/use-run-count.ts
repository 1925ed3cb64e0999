import { useQuery } from '@tanstack/react-query';
import type { WorkflowRunCount } from '#contract/runs/runs.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { getJson } from '../../api/client.ts';
import { readEvery } from '../../api/read-every.ts';
import { queryString } from '../../api/query-string.ts';
import type { RunList } from './run-list.ts';
import { positionAfter } from './run-order.ts';

const refreshMs = 60_000;

export interface RunCount {
  count: number;
  /** False when there are more. */
  isExact: boolean;
}

/** The number of runs that match the filter: those on screen, and those that the server counts after the first page. */
export function useRunCount(
  integrationId: string,
  filter: RunFilter,
  list: RunList | undefined,
): RunCount | undefined {
  const cursor = list?.pieces[1]?.cursor ?? list?.nextCursor ?? undefined;
  const hasMore = list !== undefined && (list.nextCursor !== null || list.isTruncated);
  const key = ['run-count', integrationId, filter];
  const { data } = useQuery({
    queryKey: [...key, cursor],
    queryFn: ({ signal }) =>
      getJson<WorkflowRunCount>(
        `/api/integrations/${integrationId}/workflows/count${queryString({ ...filter, cursor })}`,
        signal,
      ),
    enabled: hasMore && cursor !== undefined,
    // The first page moves with new runs. Until its rest is counted, the count before is shown.
    placeholderData: (previous: WorkflowRunCount | undefined, query) =>
      JSON.stringify(query?.queryKey.slice(0, 3)) === JSON.stringify(key) ? previous : undefined,
    refetchInterval: readEvery(refreshMs),
  });
  if (list === undefined) return undefined;
  if (!hasMore) return { count: list.rows.length, isExact: true };
  if (data === undefined) return { count: list.rows.length, isExact: false };
  const onFirstPage = positionAfter(list.rows, list.pieces[0]?.end ?? undefined, list.order);
  return { count: Math.max(onFirstPage + data.count, list.rows.length), isExact: data.isComplete };
}

import { useQuery } from '@tanstack/react-query';
import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import type { OverviewRange } from '#contract/metrics/overview.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { overviewPath } from './overview-paths.ts';
import { overviewQuery } from './overview-query.ts';

const askEveryMs = 60_000;
/** Updates come in bursts, so the numbers are read at most at this interval. */
const pauseMs = 5000;

/** The overview numbers, read again soon after a change. */
export function useOverview(integrationId: string, range: OverviewRange) {
  useLiveReads({ integrationId, queryKey: [overviewPath(integrationId)], pauseMs });
  return useQuery({
    ...overviewQuery(integrationId, range),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: (previous) => previous,
  });
}

/** Whether the integration has any run, however old. */
export function useHasRuns(integrationId: string) {
  const path = `/api/integrations/${integrationId}/workflows?limit=1`;
  return useQuery({
    queryKey: [path],
    queryFn: async ({ signal }) => (await getJson<WorkflowRunPage>(path, signal)).items.length > 0,
  });
}

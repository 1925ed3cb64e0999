import { useQuery } from '@tanstack/react-query';
import { isFailed } from '#contract/runs/conclusions.ts';
import type { RunFailures } from '#contract/failures/failures.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';

/** Many jobs of a run may fail at once. */
const pauseMs = 500;

/** The failed jobs of an attempt with their reasons, live while shown. A stored reason arrives as an update of its job. */
export function useRunFailures(integrationId: string, runId: number, attempt: number, hasFailed: boolean) {
  const queryKey = ['run-failures', integrationId, String(runId)];
  useLiveReads({
    integrationId,
    queryKey,
    pauseMs,
    concerns: (data) => data.runId === runId && isFailed(data.conclusion),
  });
  return useQuery({
    queryKey: [...queryKey, attempt],
    queryFn: ({ signal }) =>
      getJson<RunFailures>(
        `/api/integrations/${integrationId}/workflows/${runId}/failures${queryString({ attempt })}`,
        signal,
      ),
    enabled: hasFailed,
  });
}

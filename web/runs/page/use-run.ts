import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { WorkflowRunDetail } from '#contract/monitoring.ts';
import type { UpdateMessage } from '#contract/realtime.ts';
import { getJson } from '../../api/client.ts';
import { useLive, useUpdates } from '../../api/live/live.tsx';
import { mergeDetail } from './merge-detail.ts';

/** A run with its attempts and jobs, kept up to date while it is shown. */
export function useRun(integrationId: string, runId: string) {
  const client = useQueryClient();
  const live = useLive();
  const queryKey = ['run', integrationId, runId];
  const readAgain = (): void => void client.invalidateQueries({ queryKey });
  useUpdates(integrationId, {
    onUpdates: (updates) =>
      client.setQueryData<WorkflowRunDetail>(
        queryKey,
        (detail) => detail && updates.reduce(mergeDetail, detail),
      ),
    onResync: readAgain,
    // A detail does not say where in the stream it was read.
    onConnected: readAgain,
  });
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const during: UpdateMessage[] = [];
      const stopListening = live.listen(integrationId, {
        onUpdates: (updates) => void during.push(...updates),
        onResync: () => {},
      });
      try {
        const path = `/api/integrations/${integrationId}/workflows/${encodeURIComponent(runId)}`;
        // Updates come in order, so that applying those that the answer contains already ends in the same.
        return during.reduce(mergeDetail, await getJson<WorkflowRunDetail>(path, signal));
      } finally {
        stopListening();
      }
    },
  });
}

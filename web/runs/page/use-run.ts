import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { getJson } from '../../api/client.ts';
import { useLive, useUpdates } from '../../api/live/live.tsx';
import { runPath } from '../run-path.ts';
import { mergeDetail } from './merge-detail.ts';

/** A run with its attempts and jobs, live while shown. */
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
    // The response does not contain a stream position.
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
        // Updates are ordered, so applying one twice gives the same result.
        return during.reduce(
          mergeDetail,
          await getJson<WorkflowRunDetail>(runPath({ integrationId, runId }), signal),
        );
      } finally {
        stopListening();
      }
    },
  });
}

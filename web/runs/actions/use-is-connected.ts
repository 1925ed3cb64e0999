import { useQuery } from '@tanstack/react-query';
import type { RunActions } from '#contract/runs/run-actions.ts';
import { getJson } from '../../api/client.ts';
import { runPath, type ActedRun } from './run-action.ts';

const staleAfterMs = 60_000;

/**
 * Whether the forge of the run is connected. Without a connection, no buttons are shown. The answer is the same for all runs of a
 * repository.
 */
export function useIsConnected(run: Pick<ActedRun, 'integrationId' | 'runId' | 'repository'>): boolean {
  const { data } = useQuery({
    queryKey: ['run-actions', run.integrationId, run.repository],
    queryFn: ({ signal }) => getJson<RunActions>(`${runPath(run)}/actions`, signal),
    staleTime: staleAfterMs,
  });
  return data?.isConnected ?? false;
}

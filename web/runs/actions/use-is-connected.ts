import { queryOptions, useQuery } from '@tanstack/react-query';
import type { RunActions } from '#contract/runs/run-actions.ts';
import { getJson } from '../../api/client.ts';
import { runPath } from '../run-path.ts';
import type { ActedRun } from './run-action.ts';

const staleAfterMs = 60_000;

type Run = Pick<ActedRun, 'integrationId' | 'runId' | 'repository'>;

/** The answer is the same for all runs of a repository. */
export const actionsQuery = (run: Run) =>
  queryOptions({
    queryKey: ['run-actions', run.integrationId, run.repository],
    queryFn: ({ signal }) => getJson<RunActions>(`${runPath(run)}/actions`, signal),
    staleTime: staleAfterMs,
  });

/** Whether the forge of the run is connected. Without a connection, no buttons are shown. */
export function useIsConnected(run: Run): boolean {
  return useQuery(actionsQuery(run)).data?.isConnected ?? false;
}

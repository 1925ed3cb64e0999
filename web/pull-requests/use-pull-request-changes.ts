import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { useUpdates } from '../api/live/live.tsx';
import { useReadSoon } from '../api/use-read-soon.ts';
import { pullRequestsPath } from './pull-requests-path.ts';

/** A storm of updates reads the pull requests this often. */
const pauseMs = 1500;

/** Reads the pull requests on screen again when one of them, a review or a run changes. */
export function usePullRequestChanges(
  integrationId: string,
  concerns: (update: UpdateMessage['data']) => boolean = () => true,
): void {
  const readSoon = useReadSoon([pullRequestsPath(integrationId)], pauseMs);
  useUpdates(integrationId, {
    onUpdates: (updates) => {
      if (updates.some(({ data }) => concerns(data))) readSoon();
    },
    onPullRequests: readSoon,
    onResync: readSoon,
    onConnected: readSoon,
  });
}

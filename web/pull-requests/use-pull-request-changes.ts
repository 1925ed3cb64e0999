import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { useLiveReads } from '../api/live/use-live-reads.ts';
import { pullRequestsPath } from './pull-requests-path.ts';

/** A storm of updates reads the pull requests this often. */
const pauseMs = 1500;

/** Reads the pull requests on screen again when one of them, a review or a run changes. */
export function usePullRequestChanges(
  integrationId: string,
  concerns: (update: UpdateMessage['data']) => boolean,
): void {
  const queryKey = [pullRequestsPath(integrationId)];
  useLiveReads({ integrationId, queryKey, pauseMs, concerns, alsoOn: 'onPullRequests' });
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { useUpdates } from '../api/live/live.tsx';
import { pullRequestsPath } from './pull-requests-path.ts';

/** A storm of updates reads the pull requests this often. */
const pauseMs = 1500;

/** Reads the pull requests on screen again when one of them, a review or a run changes. */
export function usePullRequestChanges(
  integrationId: string,
  concerns: (update: UpdateMessage['data']) => boolean = () => true,
): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  const readSoon = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries(
        { queryKey: [pullRequestsPath(integrationId)] },
        { cancelRefetch: false },
      );
    }, pauseMs);
  };
  useUpdates(integrationId, {
    onUpdates: (updates) => {
      if (updates.some(({ data }) => concerns(data))) readSoon();
    },
    onPullRequests: readSoon,
    onResync: readSoon,
    onConnected: readSoon,
  });
}

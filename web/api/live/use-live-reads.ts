import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { useUpdates } from './live.tsx';

/**
 * Reads queries again after a pause when an update concerns them, once for all updates in it, because updates come in bursts. Reads
 * them also when the connection opens or updates were lost.
 */
export function useLiveReads({
  integrationId,
  queryKey,
  pauseMs,
  concerns = () => true,
  alsoOn,
}: {
  integrationId: string;
  queryKey: readonly string[];
  pauseMs: number;
  concerns?: (update: UpdateMessage['data']) => boolean;
  alsoOn?: 'onIncidents' | 'onPullRequests';
}): void {
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
      void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
    }, pauseMs);
  };
  useUpdates(integrationId, {
    onUpdates: (updates) => {
      if (updates.some(({ data }) => concerns(data))) readSoon();
    },
    onResync: readSoon,
    onConnected: readSoon,
    ...(alsoOn && { [alsoOn]: readSoon }),
  });
}

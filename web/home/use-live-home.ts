import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLive } from '../api/live/live.tsx';
import type { LiveUpdates } from '../api/live/live-updates.ts';
import { homeQuery } from './home-query.ts';

/** A storm of updates in any integration reads home this often. */
const pauseMs = 3000;

/** Reads home again when something happens in one of the integrations. */
export function useLiveHome(integrationIds: readonly string[]): void {
  const live = useLive();
  const client = useQueryClient();
  const ids = integrationIds.join();
  useEffect(() => follow(live, client, ids === '' ? [] : ids.split(',')), [live, client, ids]);
}

function follow(live: LiveUpdates, client: QueryClient, ids: readonly string[]): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void client.invalidateQueries({ queryKey: homeQuery.queryKey }, { cancelRefetch: false });
    }, pauseMs);
  };
  const listener = {
    onUpdates: readSoon,
    onResync: readSoon,
    onIncidents: readSoon,
    onPullRequests: readSoon,
  };
  const stops = ids.map((id) => live.listen(id, listener));
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}

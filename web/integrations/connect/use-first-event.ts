import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deliveryVerdicts, type Delivery, type DeliveryPage } from '#contract/deliveries/deliveries.ts';
import type { LogEntryPage } from '#contract/deliveries/event-log.ts';
import type { Integration } from '#contract/integrations/integrations.ts';
import { getJson } from '../../api/client.ts';
import { jsonQuery } from '../../api/path-queries.ts';
import { retryAfter } from '../../api/problem.ts';
import { queryString } from '../../api/query-string.ts';
import { useUpdates } from '../../api/live/live.tsx';
import { sampleDataPath } from '../use-sample-data.ts';
import { isQueued } from '../../deliveries/verdict-mark.tsx';

const askEveryMs = 2000;
const askOfRefusalsEveryMs = 10_000;

/** A ping or a refused delivery is not an event. */
const queuedVerdicts = deliveryVerdicts.filter(isQueued).join();

/** The connection state of the forge. Polls until the first event arrives. */
export function useFirstEvent(integrationId: string) {
  const client = useQueryClient();
  const base = `/api/integrations/${integrationId}`;
  const queryKey = ['first-event', integrationId];
  const first = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Delivery | null> => {
      const query = queryString({ verdict: queuedVerdicts, limit: 1 });
      const { items } = await getJson<DeliveryPage>(`${base}/deliveries${query}`, signal);
      return items[0] ?? null;
    },
    refetchInterval: ({ state }) => retryAfter(state.error) ?? (!state.data && askEveryMs),
  });
  const isWaiting = !first.data;
  useEffect(() => {
    // The first event may be sample data.
    if (!isWaiting) void client.invalidateQueries({ queryKey: [sampleDataPath(integrationId)] });
  }, [client, integrationId, isWaiting]);
  const { data: integration } = useQuery({
    ...jsonQuery<Integration>(base),
    refetchInterval: ({ state }) => retryAfter(state.error) ?? (isWaiting && askEveryMs),
  });
  const { data: refused } = useQuery({
    queryKey: ['refused-deliveries', integrationId],
    queryFn: async ({ signal }) => {
      const query = queryString({ type: 'deliveries.rejected', limit: 1 });
      const { items } = await getJson<LogEntryPage>(`${base}/event-log${query}`, signal);
      return items[0] ?? null;
    },
    refetchInterval: ({ state }) => retryAfter(state.error) ?? (isWaiting && askOfRefusalsEveryMs),
  });
  useUpdates(integrationId, {
    onUpdates: () => {
      if (isWaiting) void client.invalidateQueries({ queryKey });
    },
    // The first event may have been removed as sample data.
    onResync: () => void client.invalidateQueries({ queryKey }),
  });
  return {
    event: first.data ?? undefined,
    error: first.error,
    /** A delivery with a valid signature arrived, for example the initial ping. */
    isReached: (integration?.lastSecretUsed ?? null) !== null,
    refused: refused ?? undefined,
  };
}

import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { WorkflowRun, WorkflowRunPage } from '#contract/runs/runs.ts';
import type { UpdateMessage } from '#contract/runs/realtime.ts';
import { getJson } from '../../api/client.ts';
import { queryString } from '../../api/query-string.ts';
import { useLive, useUpdates } from '../../api/live/live.tsx';
import type { LiveUpdates } from '../../api/live/live-updates.ts';
import { matchesFilter, orderOf, type RunFilter } from '#contract/runs/run-filter.ts';
import type { RunList, RunUpdate } from './run-list.ts';
import { RunListReader } from './run-list-reader.ts';

const pageSize = 100;
/** How long an unused list is kept for going back. */
const keepMs = 120_000;

/** The runs that match the filter, kept up to date while shown. */
export function useRuns(integrationId: string, filter: RunFilter) {
  const client = useQueryClient();
  const live = useLive();
  const filterKey = JSON.stringify(filter);
  const reader = useMemo(
    () => makeReader(client, live, integrationId, JSON.parse(filterKey) as RunFilter),
    [client, live, integrationId, filterKey],
  );
  useEffect(() => reader.start(), [reader]);
  useUpdates(integrationId, {
    onUpdates: (updates) => reader.apply(updates.flatMap(runUpdate)),
    onResync: () => reader.resync(),
    onConnected: () => reader.retry(),
  });
  const query = useQuery({
    queryKey: keyOf(integrationId, filterKey),
    queryFn: ({ signal }) => reader.readFirst(signal),
    // The rows of the previous filter stay until the new ones load, within one integration.
    placeholderData: (previous: RunList | undefined, { queryKey } = { queryKey: [] } as never) =>
      queryKey[1] === integrationId ? previous : undefined,
    // A deep comparison of 10,000 rows costs more than it saves.
    structuralSharing: false,
    refetchOnWindowFocus: false,
    // The reader keeps the data current.
    refetchOnReconnect: ({ state }) => state.data === undefined,
    gcTime: keepMs,
  });
  const { data: list } = query;
  useEffect(() => {
    if (list) reader.advance();
  }, [reader, list]);
  const { isReadingMore, isPaused, failure } = useSyncExternalStore(reader.onState, () => reader.state);
  return {
    list,
    isPlaceholder: query.isPlaceholderData,
    error: query.error,
    failure,
    isReadingMore,
    isPaused,
    reader,
    look: useCallback((first: number, last: number) => reader.look(first, last), [reader]),
    refetch: query.refetch,
  };
}

const keyOf = (integrationId: string, filterKey: string) => ['runs', integrationId, filterKey] as const;

function makeReader(
  client: QueryClient,
  live: LiveUpdates,
  integrationId: string,
  filter: RunFilter,
): RunListReader {
  const key = keyOf(integrationId, JSON.stringify(filter));
  return new RunListReader({
    order: orderOf(filter),
    fetchPage: (cursor, signal) => fetchRuns(integrationId, { ...filter, cursor, limit: pageSize }, signal),
    isComplete: ({ stream }) => live.isComplete(integrationId, stream),
    matches: (run) => matchesFilter(run, filter),
    get: () => client.getQueryData<RunList>(key),
    set: (list) => void client.setQueryData(key, list),
  });
}

function fetchRuns(
  integrationId: string,
  query: RunFilter & { cursor?: string | undefined; limit: number },
  signal: AbortSignal,
): Promise<WorkflowRunPage> {
  return getJson(`/api/integrations/${integrationId}/workflows${queryString(query)}`, signal);
}

function runUpdate({ type, data, epoch, seq }: UpdateMessage): RunUpdate[] {
  return type === 'workflow_run' ? [{ epoch, seq, run: data as WorkflowRun }] : [];
}

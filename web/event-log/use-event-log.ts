import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { LogEntry, LogEntryPage } from '#contract/deliveries/event-log.ts';
import { getJson, sendJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { usePages } from '../api/use-pages.ts';
import type { LogFilter } from './log-search.ts';

/** The event log has no live updates. */
const askEveryMs = 20_000;

const pathOf = (integrationId: string): string => `/api/integrations/${integrationId}/event-log`;

/** The entries that match the filter, newest first. */
export function useEventLog(integrationId: string, { q, type, severity, unread }: LogFilter) {
  return usePages<LogEntry, LogEntryPage>(pathOf(integrationId), { q, type, severity, unread }, askEveryMs);
}

/** The open entry, from the list or read separately. */
export function useEntry(integrationId: string, entryId: string | undefined, listed?: readonly LogEntry[]) {
  const path = pathOf(integrationId);
  return useQuery({
    queryKey: [path, 'entry', entryId],
    queryFn:
      entryId === undefined ? skipToken : ({ signal }) => getJson<LogEntry>(`${path}/${entryId}`, signal),
    initialData: () => listed?.find((entry) => entry.entryId === entryId),
    staleTime: askEveryMs,
  });
}

/** The number of unread entries; undefined until loaded. */
export function useUnread(integrationId: string): number | undefined {
  const { data } = useQuery({
    queryKey: [pathOf(integrationId), 'unread'],
    queryFn: async ({ signal }) =>
      (await getJson<LogEntryPage>(`${pathOf(integrationId)}?limit=1`, signal)).unread,
    refetchInterval: readEvery(askEveryMs),
  });
  return data;
}

/** Marks one entry, or all up to the newest shown. */
export function useMarks(integrationId: string, openId: string | undefined) {
  const client = useQueryClient();
  const path = pathOf(integrationId);
  const onSettled = () => client.invalidateQueries({ queryKey: [path] });
  const one = useMutation({
    mutationFn: ({ entryId, read }: { entryId: string; read: boolean }) =>
      sendJson('PATCH', `${path}/${entryId}`, { read }),
    onSettled,
  });
  const all = useMutation({
    mutationFn: (upTo: string) => sendJson('POST', `${path}/mark-all-read`, { upTo }),
    onSettled,
  });
  const { mutate } = one;
  /** Marks the open entry. */
  const onMark = useCallback(
    (read: boolean) => openId !== undefined && mutate({ entryId: openId, read }),
    [openId, mutate],
  );
  return { onMark, all, error: one.error ?? all.error };
}

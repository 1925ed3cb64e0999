import { queryOptions } from '@tanstack/react-query';
import type { SavedView } from '#contract/runs/saved-views.ts';
import { readAll } from '../api/read-all.ts';

export const viewsPath = (integrationId: string): string => `/api/integrations/${integrationId}/saved-views`;

/** The saved views of the person in this integration. */
export const viewsQuery = (integrationId: string) =>
  queryOptions({
    queryKey: [viewsPath(integrationId)],
    queryFn: ({ signal }) => readAll<SavedView>(viewsPath(integrationId), signal),
    staleTime: 60_000,
  });

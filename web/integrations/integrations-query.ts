import { queryOptions } from '@tanstack/react-query';
import type { Integration } from '#contract/integrations.ts';
import { readAll } from '../api/read-all.ts';

/** The integrations of whoever is looking, each with their role in it. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => {
    const items = await readAll<Integration>('/api/integrations', signal);
    return items.toSorted((a, b) => a.label.localeCompare(b.label));
  },
  staleTime: 30_000,
});

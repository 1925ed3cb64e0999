import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { IntegrationPage } from '#contract/integrations.ts';
import { getJson } from '../api/client.ts';

/** The integrations of whoever is looking, each with their role in it. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => {
    const { items } = await getJson<Static<typeof IntegrationPage>>('/api/integrations', signal);
    return items.toSorted((a, b) => a.label.localeCompare(b.label));
  },
  staleTime: 30_000,
});

import { queryOptions, type QueryClient } from '@tanstack/react-query';
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

/** Access to an integration has ended: it is taken off the list, and its pages are left. */
export function dropIntegration(client: QueryClient, integrationId: string): Promise<void> {
  return changeIntegrations(client, (all) => all?.filter((one) => one.integrationId !== integrationId));
}

/** Shows a change at once, and reads the list anew. One that is under way may be from before the change: it is given up. */
export async function changeIntegrations(
  client: QueryClient,
  change: (all: Integration[] | undefined) => Integration[] | undefined,
): Promise<void> {
  const { queryKey } = integrationsQuery;
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, change);
  void client.invalidateQueries({ queryKey });
}

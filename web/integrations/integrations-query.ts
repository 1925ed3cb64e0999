import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Integration } from '#contract/integrations/integrations.ts';
import { readAll } from '../api/read-all.ts';
import { integrationsPath } from './integrations-path.ts';

/** The integrations of the current person, with their roles. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => {
    const items = await readAll<Integration>(integrationsPath, signal);
    return items.toSorted((a, b) => a.label.localeCompare(b.label));
  },
  staleTime: 30_000,
});

/** Removes an integration from the list after access ended, which leaves its pages. */
export function dropIntegration(client: QueryClient, integrationId: string): Promise<void> {
  return changeIntegrations(client, (all) => all?.filter((one) => one.integrationId !== integrationId));
}

/** Shows a change at once and reads the list again. Cancels a pending read, which may predate the change. */
export async function changeIntegrations(
  client: QueryClient,
  change: (all: Integration[] | undefined) => Integration[] | undefined,
): Promise<void> {
  const { queryKey } = integrationsQuery;
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, change);
  void client.invalidateQueries({ queryKey });
}

import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import type { Integration } from '#contract/integrations/integrations.ts';
import { integrationsQuery } from '../../integrations/integrations-query.ts';
import { departureKey } from '../../members/departure-key.ts';

/**
 * Leaves the pages of an integration that disappears from the list of integrations, shows the reason, and drops its
 * cached data.
 */
export function leaveLostIntegrations(client: QueryClient, router: AnyRouter): void {
  let before: readonly Integration[] = [];
  client.getQueryCache().subscribe(() => {
    const now = client.getQueryData(integrationsQuery.queryKey);
    if (now === undefined || now === before) return;
    const remaining = new Set(now.map(({ integrationId }) => integrationId));
    const lost = before.filter(({ integrationId }) => !remaining.has(integrationId));
    before = now;
    for (const integration of lost) void leave(client, router, integration);
  });
}

async function leave(
  client: QueryClient,
  router: AnyRouter,
  { integrationId, label }: Integration,
): Promise<void> {
  if (isOpen(router, integrationId)) {
    // A person who leaves on purpose needs no explanation.
    const isDeparting = client.isMutating({ mutationKey: departureKey(integrationId) }) > 0;
    await router.navigate({ to: '/', replace: true, state: isDeparting ? {} : { removedFrom: label } });
  }
  // The id is a part of the key or part of a path in it.
  const isOfIt = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) =>
      JSON.stringify(queryKey).includes(integrationId),
  };
  await client.cancelQueries(isOfIt);
  client.removeQueries(isOfIt);
}

/** Checks the address, which also covers a page that is still loading. */
function isOpen({ history }: AnyRouter, integrationId: string): boolean {
  return history.location.pathname.split('/').includes(integrationId);
}

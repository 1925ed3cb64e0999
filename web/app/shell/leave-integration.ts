import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import type { Integration } from '#contract/integrations.ts';
import { integrationsQuery } from '../../integrations/integrations-query.ts';
import { departureKey } from '../../members/departure-key.ts';

/**
 * From now on, whatever the person's list of integrations loses may not be seen any more: its pages are left, with a word
 * why, and all that was read of it is forgotten. It does not matter who noticed.
 */
export function leaveWhatIsLost(client: QueryClient, router: AnyRouter): void {
  let before: readonly Integration[] = [];
  client.getQueryCache().subscribe(() => {
    const now = client.getQueryData(integrationsQuery.queryKey);
    if (now === undefined || now === before) return;
    const kept = new Set(now.map(({ integrationId }) => integrationId));
    const lost = before.filter(({ integrationId }) => !kept.has(integrationId));
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
    // Who goes of their own will needs no reason.
    const isDeparting = client.isMutating({ mutationKey: departureKey(integrationId) }) > 0;
    await router.navigate({ to: '/', replace: true, state: isDeparting ? {} : { removedFrom: label } });
  }
  // The id may be a part of the key on its own, or stand in a path.
  const isOfIt = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) =>
      JSON.stringify(queryKey).includes(integrationId),
  };
  await client.cancelQueries(isOfIt);
  client.removeQueries(isOfIt);
}

/** By the address: a page that is still on its way has one already. */
function isOpen({ history }: AnyRouter, integrationId: string): boolean {
  return history.location.pathname.split('/').includes(integrationId);
}

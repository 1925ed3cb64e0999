import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { changeIntegrations, integrationsQuery } from '../integrations/integrations-query.ts';

/** Leaves the pages of an integration that may not be seen any more, says so, and forgets all that was read of it. */
export async function leaveIntegration(
  client: QueryClient,
  router: AnyRouter,
  integrationId: string,
): Promise<void> {
  const lost = client
    .getQueryData(integrationsQuery.queryKey)
    ?.find((integration) => integration.integrationId === integrationId);
  await changeIntegrations(client, (all) => all?.filter((one) => one !== lost));
  if (isOpen(router, integrationId)) {
    await router.navigate({
      to: '/',
      replace: true,
      state: { removedFrom: lost?.label ?? 'the integration' },
    });
  }
  const isOfIt = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey.includes(integrationId),
  };
  await client.cancelQueries(isOfIt);
  client.removeQueries(isOfIt);
}

function isOpen({ state }: AnyRouter, integrationId: string): boolean {
  return state.matches.some(
    ({ params }) => (params as { integrationId?: string }).integrationId === integrationId,
  );
}

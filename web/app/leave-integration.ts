import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import type { Integration } from '#contract/integrations.ts';
import { changeIntegrations, integrationsQuery } from '../integrations/integrations-query.ts';

/** Leaves the pages of an integration that may not be seen any more, says so, and forgets all that was read of it. */
export async function leaveIntegration(
  client: QueryClient,
  router: AnyRouter,
  integrationId: string,
): Promise<void> {
  const lost = find(client, integrationId);
  await changeIntegrations(client, (all) => all?.filter((one) => one !== lost));
  await leave(client, router, integrationId, lost);
}

/** As `leaveIntegration`, if the person's list does not have it any more. Without a list it is asked for later. */
export async function leaveIfRemoved(
  client: QueryClient,
  router: AnyRouter,
  integrationId: string,
): Promise<void> {
  const before = find(client, integrationId);
  await client.invalidateQueries({ queryKey: integrationsQuery.queryKey });
  if (before !== undefined && find(client, integrationId) === undefined)
    await leave(client, router, integrationId, before);
}

async function leave(
  client: QueryClient,
  router: AnyRouter,
  integrationId: string,
  lost: Integration | undefined,
): Promise<void> {
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

function find(client: QueryClient, integrationId: string): Integration | undefined {
  const all = client.getQueryData(integrationsQuery.queryKey);
  return all?.find((integration) => integration.integrationId === integrationId);
}

function isOpen({ state }: AnyRouter, integrationId: string): boolean {
  return state.matches.some(
    ({ params }) => (params as { integrationId?: string }).integrationId === integrationId,
  );
}

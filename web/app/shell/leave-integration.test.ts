import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import type { Integration } from '#contract/integrations/integrations.ts';
import { setClientGlobals } from '#test/support/browser/page-globals.ts';
import { departureKey } from '../../members/departure-key.ts';

setClientGlobals();
const { integrationsQuery } = await import('../../integrations/integrations-query.ts');
const { leaveLostIntegrations } = await import('./leave-integration.ts');

const [one, two] = ['One', 'Two'].map((label) => ({ integrationId: `id-${label}`, label }) as Integration);

function setUp(pathname: string) {
  const client = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity } } });
  const visits: { to: string; state: unknown }[] = [];
  const router = {
    history: { location: { pathname } },
    navigate: async (visit: { to: string; state: unknown }) => void visits.push(visit),
  } as unknown as AnyRouter;
  leaveLostIntegrations(client, router);
  const list = async (...integrations: (Integration | undefined)[]): Promise<void> => {
    client.setQueryData(integrationsQuery.queryKey, integrations as Integration[]);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { client, visits, list };
}

test('the page of an integration is left with the reason when the integration disappears', async () => {
  const { visits, list } = setUp('/integrations/id-One/runs');
  await list(one, two);
  assert.deepEqual(visits, []);
  await list(two);
  assert.deepEqual(
    visits.map(({ to, state }) => [to, state]),
    [['/', { removedFrom: 'One' }]],
  );
});

test('a person who leaves on purpose gets no reason', async () => {
  const { client, visits, list } = setUp('/integrations/id-One/settings');
  await list(one);
  const { promise, resolve } = Promise.withResolvers<void>();
  const leaving = client
    .getMutationCache()
    .build(client, { mutationKey: departureKey('id-One'), mutationFn: () => promise })
    .execute(undefined);
  await list();
  assert.deepEqual(
    visits.map(({ state }) => state),
    [{}],
  );
  resolve();
  await leaving;
});

test('another page stays open, and only the data of the lost integration is dropped', async () => {
  const { client, visits, list } = setUp('/integrations/id-Two/runs');
  await list(one, two);
  client.setQueryData(['runs', 'id-One'], 1);
  client.setQueryData(['page', '/api/integrations/id-One/members'], 2);
  client.setQueryData(['runs', 'id-Two'], 3);
  await list(two);
  assert.deepEqual(visits, []);
  assert.deepEqual(
    [
      ['runs', 'id-One'],
      ['page', '/api/integrations/id-One/members'],
      ['runs', 'id-Two'],
    ].map((key) => client.getQueryData(key)),
    [undefined, undefined, 3],
  );
});

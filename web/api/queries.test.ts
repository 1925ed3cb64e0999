import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import type { Integration } from '#contract/integrations/integrations.ts';
import { setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

/** Queries without a component: what they ask for, and what the cache holds afterwards. */

setClientGlobals();
const asked: string[] = [];
let answer: (path: string) => unknown;
setPageGlobals({
  fetch: async (path: string) => {
    asked.push(path);
    return Response.json(await answer(path));
  },
});
const { changeIntegrations, dropIntegration, integrationsQuery } =
  await import('../integrations/integrations-query.ts');
const { viewsQuery } = await import('../saved-views/views-query.ts');
const { rulesQuery } = await import('../alerts/alert-queries.ts');
const { membersQuery, invitationsQuery } = await import('../members/members-queries.ts');
const { tokensQuery, integrationTokens, personalTokens } = await import('../api-tokens/token-queries.ts');
const { userQuery } = await import('../identity/use-user.ts');
const { readAll } = await import('./read-all.ts');
const { configQuery } = await import('./config.ts');

const page = (items: unknown[], nextCursor: string | null = null) => ({ items, nextCursor });
const integration = (integrationId: string, label: string): Integration =>
  ({ integrationId, label }) as Integration;
const [one, two] = [integration('1', 'beta'), integration('2', 'Alpha')];
let client: QueryClient;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { gcTime: Infinity, retry: false } } });
  asked.length = 0;
  answer = () => page([]);
});

test('integrations are listed by name, whatever the case', async () => {
  answer = () => page([one, two, integration('3', 'Ärger'), integration('4', 'zeta')]);
  const labels = (await client.fetchQuery(integrationsQuery)).map(({ label }) => label);
  assert.deepEqual(labels, ['Alpha', 'Ärger', 'beta', 'zeta']);
});

test('a change is shown at once, and a list that was requested before it does not undo it', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  client.setQueryData(integrationsQuery.queryKey, [one, two]);
  answer = () => promise;
  const reading = client.fetchQuery({ ...integrationsQuery, staleTime: 0 }).catch(() => undefined);
  await dropIntegration(client, '1');
  assert.deepEqual(client.getQueryData(integrationsQuery.queryKey), [two]);
  resolve(page([one, two]));
  await reading;
  assert.deepEqual(client.getQueryData(integrationsQuery.queryKey), [two]);
});

test('a change before the list is loaded invents no list', async () => {
  await changeIntegrations(client, (all) => all?.filter(() => true));
  assert.equal(client.getQueryData(integrationsQuery.queryKey), undefined);
});

test('a list is read to its end, page by page', async () => {
  const pages = [page([1, 2], 'a b'), page([3], 'c'), page([4])];
  answer = () => pages.shift();
  assert.deepEqual(await readAll('/api/things'), [1, 2, 3, 4]);
  assert.deepEqual(asked, [
    '/api/things?limit=100',
    '/api/things?limit=100&cursor=a+b',
    '/api/things?limit=100&cursor=c',
  ]);
});

test('a list that never ends is read to a limit', async () => {
  answer = () => page([1], 'next');
  assert.equal((await readAll('/api/things')).length, 20);
});

test('a page that fails fails the whole list', async () => {
  answer = (path) => {
    if (path.includes('cursor')) throw new TypeError('Failed to fetch');
    return page([1], 'next');
  };
  await assert.rejects(readAll('/api/things'), { code: 'unreachable' });
});

test('each query asks for its own data, apart for each integration', async () => {
  answer = (path) => (path.endsWith('/tokens') ? { items: [path] } : page([path]));
  const lists = (id: string) => [rulesQuery(id), viewsQuery(id), membersQuery(id), invitationsQuery(id)];
  for (const id of ['a', 'b']) for (const query of lists(id)) await client.fetchQuery(query as never);
  await client.fetchQuery(tokensQuery(integrationTokens('a')));
  await client.fetchQuery(tokensQuery(personalTokens));
  const names = ['notification-rules', 'saved-views', 'members', 'invitations'];
  assert.deepEqual(asked, [
    ...['a', 'b'].flatMap((id) => names.map((name) => `/api/integrations/${id}/${name}?limit=100`)),
    '/api/integrations/a/tokens',
    '/api/user/tokens',
  ]);
});

test('the person and the configuration have one address each', async () => {
  answer = (path) => ({ path });
  assert.deepEqual(await client.fetchQuery(userQuery), { path: '/api/user' });
  assert.deepEqual(await client.fetchQuery(configQuery), { path: '/config.json' });
});

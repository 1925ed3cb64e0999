import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

setClientGlobals();
const asked: string[] = [];
let answer: () => Promise<Response>;
setPageGlobals({
  location: { pathname: '/integrations/0195a5d0-0000-7000-8000-000000000001/overview', search: '?range=7d' },
  fetch: async (path: string) => {
    asked.push(path.replace(/^.*\//, ''));
    return answer();
  },
});
const { readFirstPage } = await import('./first-page.ts');

const newClient = () => new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: Infinity } } });

test('the first page is shown with its numbers, or without them when they or its files fail', async () => {
  answer = async () => Response.json({ items: [], nextCursor: null });
  const client = newClient();
  await readFirstPage(client, async () => {});
  assert.deepEqual(asked, ['integrations?limit=100', 'user', 'overview?range=7d&timeZone=UTC']);
  assert.equal(
    client.getQueryCache().findAll({ predicate: ({ state }) => state.status === 'success' }).length,
    3,
  );
  answer = async () => Response.json({}, { status: 500 });
  await readFirstPage(newClient(), () => Promise.reject(new Error('no files')));
});

test('a page whose answers take long is shown without them', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  answer = () => new Promise(() => {});
  const shown = readFirstPage(newClient(), () => new Promise(() => {}));
  t.mock.timers.tick(300);
  await shown;
});

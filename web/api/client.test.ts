import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

setClientGlobals();
const { getJson, sendJson } = await import('./client.ts');
const { queryString } = await import('./query-string.ts');
const { contact } = await import('./contact/browser-contact.ts');
const { readAll } = await import('./read-all.ts');
const { ApiError } = await import('./problem.ts');

type Answer = (path: string, options: RequestInit) => Response;
const asked: string[] = [];
let answer: Answer;

setPageGlobals({
  fetch: async (path: string, options: RequestInit = {}) => {
    asked.push(`${options.method ?? 'GET'} ${path}`);
    return answer(path, options);
  },
});
beforeEach(() => {
  asked.length = 0;
  contact.answered();
});

const code = (expected: string) => (error: unknown) => error instanceof ApiError && error.code === expected;

test('a query contains only the defined values, encoded', () => {
  assert.equal(
    queryString({ q: 'a b&c', limit: 10, open: false, cursor: undefined }),
    '?q=a+b%26c&limit=10&open=false',
  );
  assert.equal(queryString({ q: undefined }), '');
});

test('a change is sent as JSON, and an empty answer is undefined', async () => {
  let sent: RequestInit = {};
  answer = (_path, options) => {
    sent = options;
    return new Response(null, { status: 204 });
  };
  assert.equal(await sendJson('PUT', '/api/thing', { name: 'é' }), undefined);
  assert.equal(sent.body, '{"name":"é"}');
  assert.equal(new Headers(sent.headers).get('content-type'), 'application/json');
});

test('a refusal is thrown with the code of the server and does not mark it as away', async () => {
  answer = () => Response.json({ code: 'not_found', title: 'Not found' }, { status: 404 });
  await assert.rejects(getJson('/api/thing'), code('not_found'));
  assert.equal(contact.isAway, false);
});

test('an error page of a proxy marks the server as away', async () => {
  answer = () => new Response('<h1>Bad gateway</h1>', { status: 502 });
  await assert.rejects(getJson('/api/thing'), code('unreachable'));
  assert.equal(await contact.check(), false);
  assert.equal(contact.isAway, true);
});

test('a page that is no JSON is not taken for an answer of the server', async () => {
  answer = () => new Response('<h1>Sign in to the hotel network</h1>');
  await assert.rejects(getJson('/api/thing'), code('unreachable'));
});

test('a request that the page itself ends throws the reason and checks nothing', async () => {
  answer = (_path, { signal }) => {
    throw (signal as AbortSignal).reason;
  };
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(getJson('/api/thing', stop.signal), { name: 'AbortError' });
  assert.deepEqual(asked, ['GET /api/thing']);
});

test('a long list is read page by page, in order', async () => {
  const pages: Record<string, object> = {
    '/api/list?limit=100': { items: [1, 2], nextCursor: 'b' },
    '/api/list?limit=100&cursor=b': { items: [3], nextCursor: null },
  };
  answer = (path) => Response.json(pages[path]);
  assert.deepEqual(await readAll('/api/list'), [1, 2, 3]);
});

test('a list without an end is read for twenty pages', async () => {
  answer = () => Response.json({ items: [1], nextCursor: 'again' });
  assert.equal((await readAll('/api/list')).length, 20);
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

setClientGlobals();
const { contact } = await import('../contact/browser-contact.ts');
const { getJson, sendJson } = await import('../client.ts');
const { session } = await import('../session/browser-session.ts');
const { sendEarly } = await import('./early-answers.ts');

const asked: string[] = [];
let answer: (path: string) => Response | Promise<Response>;
setPageGlobals({
  fetch: async (path: string, { method = 'GET' }: RequestInit = {}) => {
    asked.push(`${method} ${path}`);
    return path === '/config.json' ? Response.json({}) : answer(path);
  },
});

beforeEach(() => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 23) });
  asked.length = 0;
  contact.answered();
});
afterEach(() => mock.timers.reset());

test('the app takes an early answer once and sends the next request itself', async () => {
  let version = 0;
  answer = () => Response.json({ version: ++version });
  void sendEarly('/api/thing');
  assert.deepEqual(await getJson('/api/thing'), { version: 1 });
  assert.deepEqual(asked, ['GET /api/thing']);
  assert.deepEqual(await getJson('/api/thing'), { version: 2 });
  assert.deepEqual(asked, ['GET /api/thing', 'GET /api/thing']);
});

test('without success the app sends the request again and handles what it gets', async () => {
  for (const failure of [
    () => Response.json({}, { status: 401 }),
    () => Response.json({}, { status: 503 }),
    () => new Response(null, { status: 204 }),
    () => Promise.reject(new TypeError('Failed to fetch')),
    () => new Response(new ReadableStream({ start: (body) => body.error(new Error('broken off')) })),
  ]) {
    answer = failure;
    void sendEarly('/api/thing');
    await new Promise((resolve) => setImmediate(resolve));
    answer = () => Response.json({ version: 2 });
    assert.deepEqual(await getJson('/api/thing'), { version: 2 });
  }
  assert.deepEqual([...new Set(asked)], ['GET /api/thing']);
});

test('an answer that is older than the page it was for is not used', async () => {
  answer = () => Response.json({ version: 1 });
  void sendEarly('/api/thing');
  mock.timers.tick(30_000);
  answer = () => Response.json({ version: 2 });
  assert.deepEqual(await getJson('/api/thing'), { version: 2 });
});

test('a change never takes an early answer', async () => {
  answer = () => Response.json({ version: 1 });
  void sendEarly('/api/thing');
  await sendJson('PUT', '/api/thing', {});
  assert.deepEqual(asked, ['GET /api/thing', 'PUT /api/thing']);
});

test('an early answer from before the end of the session does not start it again', async () => {
  answer = () => Response.json({ version: 1 });
  void sendEarly('/api/thing');
  mock.timers.tick(10);
  session.end();
  await getJson('/api/thing');
  assert.equal(session.state, 'over');
});

test('a request that the page ends takes no early answer', async () => {
  answer = () => Response.json({ version: 1 });
  void sendEarly('/api/thing');
  const stop = new AbortController();
  const reading = getJson('/api/thing', stop.signal);
  stop.abort();
  await assert.rejects(reading, { name: 'AbortError' });
  assert.equal(contact.isAway, false);
});

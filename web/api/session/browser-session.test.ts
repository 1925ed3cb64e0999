import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setClientGlobals, setPageGlobals } from '#test/support/browser/page-globals.ts';

setClientGlobals();
setPageGlobals({ navigator: { onLine: true } });
const { contact } = await import('../contact/browser-contact.ts');
const { session } = await import('./browser-session.ts');

let answer: (signal?: AbortSignal | null) => Response | Promise<Response>;
const asked: string[] = [];
setPageGlobals({
  fetch: async (path: string, { method = 'GET', signal }: RequestInit = {}) => {
    asked.push(`${method} ${path}`);
    return path === '/config.json' ? Response.json({}) : answer(signal);
  },
});
beforeEach(() => {
  asked.length = 0;
  contact.answered();
});

const later = (): number => Date.now() + 60_000;

test('new tokens renew the session', async () => {
  answer = () => new Response(null, { status: 204 });
  assert.equal(await session.renew(later()), 'renewed');
  assert.deepEqual(asked, ['POST /api/auth/refresh']);
  assert.equal(session.state, 'good');
});

test('a server that is busy, broken or behind a proxy signs nobody out', async () => {
  for (const status of [400, 403, 408, 429, 500, 502, 503]) {
    session.works(later());
    answer = () => new Response('<h1>Sorry</h1>', { status });
    assert.equal(await session.renew(later()), 'unavailable', String(status));
    assert.equal(session.state, 'unavailable', String(status));
  }
});

test('a lost connection signs nobody out and checks the server', async () => {
  session.works(later());
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  assert.equal(await session.renew(later()), 'unavailable');
  assert.ok(asked.includes('GET /config.json'));
});

test('a renewal without an answer ends after a time limit, because all tabs wait for it', async (t) => {
  session.works(later());
  const limit = new AbortController();
  t.mock.method(AbortSignal, 'timeout', () => limit.signal);
  answer = (signal) =>
    new Promise((_resolve, reject) => {
      limit.abort();
      if (signal?.aborted) reject(signal.reason as Error);
    });
  assert.equal(await session.renew(later()), 'unavailable');
});

test('an answer whose body breaks off counts by its status', async () => {
  const broken = (): ReadableStream =>
    new ReadableStream({ start: (controller) => controller.error(new Error('broken off')) });
  answer = () => new Response(broken(), { status: 200 });
  assert.equal(await session.renew(later()), 'renewed');
});

test('only a refusal of the tokens ends the session', async () => {
  for (const status of [401, 404]) {
    session.works(later());
    answer = () => Response.json({ code: 'refresh_refused' }, { status });
    assert.equal(await session.renew(later()), 'over');
    assert.equal(session.state, 'over');
  }
});

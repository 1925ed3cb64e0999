import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { installChain } from './chain/chain.ts';
import { registerRoutes } from './register.ts';
import { route } from './route.ts';
import { makeHttpServer } from './server.ts';

test('a signed-in route refuses requests without a caller, whatever ran before it', async (t) => {
  const app = makeHttpServer(pino({ enabled: false }));
  t.after(() => app.close());
  await registerRoutes(
    app,
    [
      route({
        method: 'GET',
        path: '/mine',
        access: 'signed-in',
        summary: 'Of the caller',
        handle: async ({ request }) => ({ of: request.caller?.userId }),
      }),
    ],
    { guard: () => undefined, describe: () => '', credentials: () => ['session'] },
  );
  const { statusCode, body } = await app.inject('/mine');
  assert.deepEqual([statusCode, (JSON.parse(body) as { code: string }).code], [401, 'unauthenticated']);
});

test('an answer with a secret is never compressed, other long answers are', async (t) => {
  const app = makeHttpServer(pino({ enabled: false }));
  t.after(() => app.close());
  await installChain(app, {
    allowedOrigins: [],
    isPublic: () => true,
    readsCookiesItself: () => false,
    authenticate: async () => undefined,
  });
  const long = async () => ({ text: 'x'.repeat(5000) });
  const get = { method: 'GET', access: 'everybody', summary: 'Long', handle: long } as const;
  await registerRoutes(
    app,
    [route({ ...get, path: '/secret', isConfidential: true }), route({ ...get, path: '/other' })],
    { guard: () => undefined, describe: () => '', credentials: () => [] },
  );
  const encodingOf = async (url: string) =>
    (await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'];
  assert.equal(await encodingOf('/secret'), undefined);
  assert.equal(await encodingOf('/other'), 'gzip');
});

test('an outage of the database is logged once, not with each request', async (t) => {
  const lines: string[] = [];
  const app = makeHttpServer(pino({}, { write: (line) => void lines.push(line) }));
  t.after(() => app.close());
  const away = async () => {
    throw Object.assign(new Error('could not extend file'), { code: '53100' });
  };
  await registerRoutes(
    app,
    [route({ method: 'GET', path: '/away', access: 'everybody', summary: 'Fails', handle: away })],
    { guard: () => undefined, describe: () => '', credentials: () => [] },
  );
  for (let index = 0; index < 20; index += 1) assert.equal((await app.inject('/away')).statusCode, 503);
  assert.equal(lines.filter((line) => line.includes('could not extend file')).length, 1);
  assert.equal(lines.filter((line) => line.includes('"stack"')).length, 1);
});

test('an unexpected error is logged in full and answered as internal', async (t) => {
  const lines: string[] = [];
  const app = makeHttpServer(pino({}, { write: (line: string) => void lines.push(line) }));
  t.after(() => app.close());
  const handle = async (): Promise<never> => {
    throw new Error('relation "users" does not exist');
  };
  await registerRoutes(
    app,
    [route({ method: 'GET', path: '/breaks', access: 'everybody', summary: 'Breaks', handle })],
    { guard: () => undefined, describe: () => '', credentials: () => [] },
  );
  const { statusCode, body, headers } = await app.inject('/breaks');
  const { requestId, ...told } = JSON.parse(body) as Record<string, unknown>;
  assert.equal(statusCode, 500);
  assert.deepEqual(told, {
    type: 'urn:forgewatch:error:internal',
    title: 'Internal server error',
    status: 500,
    detail: 'The server failed. Its log has the details under this request ID.',
    code: 'internal',
  });
  assert.equal(requestId, headers['x-request-id']);
  assert.ok(lines.some((line) => line.includes('does not exist') && line.includes(String(requestId))));
});

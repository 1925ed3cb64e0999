import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { installChain } from './chain.ts';
import { registerRoutes } from './register.ts';
import { route } from './route.ts';
import { makeHttpServer } from './server.ts';

test('a route for whoever is signed in answers nobody else, whatever came before it', async (t) => {
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
    { guard: () => undefined, describe: () => '', needsSession: () => true },
  );
  const { statusCode, body } = await app.inject('/mine');
  assert.deepEqual([statusCode, (JSON.parse(body) as { code: string }).code], [401, 'unauthenticated']);
});

test('an answer that holds a secret is not compressed, whatever its length; another one is', async (t) => {
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
    { guard: () => undefined, describe: () => '', needsSession: () => false },
  );
  const encodingOf = async (url: string) =>
    (await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'];
  assert.equal(await encodingOf('/secret'), undefined);
  assert.equal(await encodingOf('/other'), 'gzip');
});

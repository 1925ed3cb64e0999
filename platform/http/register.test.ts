import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
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

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import {
  GuardedFetchError,
  makeGuardedFetch,
  type GuardedFetchOptions,
} from '#platform/http/outgoing/guarded-fetch.ts';
import { namesAre } from './names.ts';
import { testCertificate } from './test-certificate.ts';

/** The port of the server, which ends with the test. */
export async function listen(t: TestContext, server: ReturnType<typeof createTcpServer>): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A server with a certificate for `hooks.example.com`, and a guarded fetch that may call it. */
export async function guardedTarget(
  t: TestContext,
  handle: RequestListener,
  options: Partial<GuardedFetchOptions> = {},
) {
  let connections = 0;
  const server = createServer(testCertificate, handle);
  server.on('connection', () => (connections += 1));
  const port = await listen(t, server);
  const guarded = makeGuardedFetch({
    allowedNetworks: ['127.0.0.1/32'],
    allowedPorts: [port],
    lookup: namesAre(['127.0.0.1']).lookup,
    ...options,
  });
  t.after(guarded.dispose);
  return { guarded, url: `https://hooks.example.com:${port}/in?a=1`, port, connections: () => connections };
}

export const failsWith = (reason: GuardedFetchError['reason']) => (error: unknown) => {
  assert.ok(error instanceof GuardedFetchError, String(error));
  assert.equal(error.reason, reason, error.message);
  return true;
};

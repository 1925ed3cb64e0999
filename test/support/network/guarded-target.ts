import assert from 'node:assert/strict';
import type { LookupAddress, lookup as resolve } from 'node:dns';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  GuardedFetchError,
  makeGuardedFetch,
  type GuardedFetchOptions,
} from '#platform/http/outgoing/guarded-fetch.ts';
import { testCertificate } from './test-certificate.ts';

setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert]);

/** What a name means, one answer for each time it is asked; the last one stays. */
export function namesAre(...answers: (string[] | Error)[]) {
  let asked = 0;
  const lookup = ((_name: string, _options: unknown, answer: (...found: unknown[]) => void) => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    if (found instanceof Error) answer(found);
    else
      answer(
        null,
        found.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  }) as unknown as typeof resolve;
  return { lookup, asked: () => asked };
}

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

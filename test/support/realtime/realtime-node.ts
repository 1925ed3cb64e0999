import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { after } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { clientAddress } from '#platform/http/chain/client-address.ts';
import { realtimePolicy, type RealtimePolicy } from '#server/realtime/policy.ts';
import { makeRealtime, type Realtime, type RealtimeDeps } from '#server/realtime/realtime.ts';
import { testMasterKey, type TestDatabase } from '#test/support/database/test-database.ts';

export const testOrigin = 'https://ci.example.com';

export type NodeOptions = { policy?: Partial<RealtimePolicy> } & Partial<Omit<RealtimeDeps, 'policy'>>;

export interface TestNode {
  realtime: Realtime;
  /** `ws://…/ws` */
  url: string;
  metrics: Registry;
  /** All that was logged. */
  logged(): string;
  /** Resolves once it has heard what was announced so far, such as the memberships that a test made. */
  heardAll(): Promise<void>;
  stop(): Promise<void>;
}

/** One node as a process has it: HTTP server, listener, realtime. Stopped with the test that started it at the latest. */
export async function startNode(
  database: TestDatabase,
  options: NodeOptions & Pick<RealtimeDeps, 'loadUpdates'>,
): Promise<TestNode> {
  let text = '';
  const log = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString();
        done();
      },
    }),
  );
  const listener = makeListener(roleConnection(database.url, 'forgewatch_api', testMasterKey), log);
  const marks = new Map<string, () => void>();
  listener.on('test_mark', (mark) => marks.get(mark)?.());
  const metrics = new Registry();
  const realtime = makeRealtime({
    db: database.api,
    listener,
    log,
    metrics,
    tokenKeys: [testMasterKey],
    audience: 'http://localhost',
    allowedOrigins: [testOrigin],
    path: '/ws',
    addressOf: clientAddress([]),
    ...options,
    policy: { ...realtimePolicy, ...options.policy },
  });
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on('upgrade', realtime.handleUpgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await listener.start();
  await realtime.service.start();
  const stop = async (): Promise<void> => {
    await realtime.service.stop();
    await listener.stop();
    server.close();
    server.closeAllConnections();
  };
  after(stop);
  return {
    realtime,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    metrics,
    logged: () => text,
    // Postgres passes notifications on in the order of their commits.
    heardAll: async () => {
      const mark = randomUUID();
      const heard = new Promise<void>((resolve) => marks.set(mark, resolve));
      await database.asOwner(`select pg_notify('test_mark', $1)`, [mark]);
      await heard;
    },
    stop,
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { openDatabase } from '#platform/database/database.ts';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { clientAddress } from '#platform/http/chain/client-address.ts';
import { makeRealtime } from '#server/realtime/realtime.ts';
import { realtimePolicy } from '#server/realtime/policy.ts';

/** A node in a process of its own, to be killed: `node realtime-node-process.ts DATABASE_URL KEY POLICY`. */
const [url = '', key = '', policy = '{}'] = process.argv.slice(2);
const masterKey = Buffer.from(key, 'base64');
const connection = roleConnection(url, 'forgewatch_api', masterKey);
const log = pino({ level: 'silent' });
const listener = makeListener(connection, log);
const realtime = makeRealtime({
  db: openDatabase({ connection, maxConnections: 2, onIdleError: () => {} }),
  listener,
  log,
  metrics: new Registry(),
  tokenKeys: [masterKey],
  audience: 'http://localhost',
  allowedOrigins: [],
  path: '/ws',
  addressOf: clientAddress([]),
  loadUpdates: async (_tx, pointers) => pointers.map(() => undefined),
  policy: { ...realtimePolicy, ...(JSON.parse(policy) as Partial<typeof realtimePolicy>) },
});
const server = createServer().on('upgrade', realtime.handleUpgrade);
await listener.start();
await realtime.service.start();
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

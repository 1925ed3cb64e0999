import { createServer } from 'node:http';
import pino from 'pino';
import { Registry } from 'prom-client';
import { makeListener } from '#platform/database/listener.ts';
import { openDatabase } from '#platform/database/database.ts';
import { roleConnection } from '#platform/database/roles/role-connection.ts';
import { clientAddress } from '#platform/http/chain/client-address.ts';
import { makeRealtime } from '#server/realtime/realtime.ts';
import { removals } from '#server/realtime/outbox/append-updates.ts';
import { realtimePolicy } from '#server/realtime/policy.ts';
import { serveSocketCommands } from './socket-commands.ts';

/** The product's live updates without the rest of the product, for P8. */
const [integrationId = '', userId = ''] = process.argv.slice(2);
const key = Buffer.from(process.env['BENCH_KEY'] ?? '', 'base64');
const connection = roleConnection(process.env['BENCH_DATABASE_URL'] ?? '', 'forgewatch_api', key);
const log = pino({ level: 'silent' });
const db = openDatabase({ connection, maxConnections: 4, onIdleError: () => {} });
const listener = makeListener(connection, log);
const realtime = makeRealtime({
  db,
  listener,
  log,
  metrics: new Registry(),
  tokenKeys: [key],
  audience: 'bench',
  allowedOrigins: [],
  path: '/ws',
  addressOf: clientAddress([]),
  loadUpdates: async () => [],
  // This measures thousands of sockets of one user, with updates that are not stored. A comparison with the database would find
  // the node ahead and restart the stream.
  policy: { ...realtimePolicy, maxConnectionsPerUser: 100_000, pollEveryMs: 1_000_000_000 },
});
await listener.start();
await realtime.service.start();
const server = createServer();
server.on('upgrade', realtime.handleUpgrade);

const { rows } = await db.withScope({ integrationId }, (tx) =>
  tx.query<{ epoch: string }>('select epoch from realtime_stream where integration_id = $1', [integrationId]),
);
const epoch = rows[0]?.epoch ?? '';
const { token } = realtime.mintToken({ userId, sessionId: 'bench', integrationIds: [integrationId] });
await serveSocketCommands(server, token, (data, seq) => {
  const at = new Date().toISOString();
  realtime.deliver([{ v: 1, type: 'workflow_run', integrationId, epoch, seq, at, data, [removals]: 0 }]);
});

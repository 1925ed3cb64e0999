import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import pino from 'pino';
import { Registry } from 'prom-client';
import { WebSocketServer, type WebSocket } from 'ws';
import type { WorkflowRun } from '#contract/monitoring.ts';
import { makeListener } from '#platform/database/listener.ts';
import { openDatabase } from '#platform/database/database.ts';
import { roleConnection } from '#platform/database/migrate.ts';
import { makeRealtime } from '#server/realtime/realtime.ts';
import { realtimePolicy } from '#server/realtime/policy.ts';

/**
 * A server of sockets in a process of its own: ours, or bare `ws` with a frame built once. Commands on standard input:
 * `memory` (RSS after a collection), `send N` (N updates of 2 KB to everybody; answers the CPU microseconds it took
 * until all was handed to the system).
 */
const [mode = 'bare', databaseUrl = '', integrationId = '', userId = '', key = ''] = process.argv.slice(2);
const server = createServer();
let mint = (): string => '';
let seq = 0;
const send = mode === 'bare' ? startBare() : await startOurs();
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`ready ${(server.address() as AddressInfo).port} ${mint()}\n`),
);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, count] = line.split(' ');
  process.stdout.write(`${command === 'memory' ? memory() : await cpuOf(Number(count))}\n`);
}

function memory(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage.rss();
}

async function cpuOf(count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await send(update());
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function update(): WorkflowRun {
  seq += 1;
  return { integrationId, runId: seq, title: 'x'.repeat(1500) } as WorkflowRun;
}

function startBare(): (data: WorkflowRun) => Promise<void> {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 4096 });
  return async (data) => {
    const text = Buffer.from(
      JSON.stringify({
        v: 1,
        type: 'workflow_run',
        integrationId,
        epoch: 'e',
        seq,
        at: new Date().toISOString(),
        data,
      }),
    );
    const frame = Buffer.concat([Buffer.from([0x81, 126, text.length >> 8, text.length & 0xff]), text]);
    for (const client of sockets.clients)
      (client as WebSocket & { _socket: NodeJS.WritableStream })._socket.write(frame);
    await quiet([...sockets.clients]);
  };
}

async function quiet(clients: readonly WebSocket[]): Promise<void> {
  while (clients.some((client) => client.bufferedAmount > 0))
    await new Promise((resolve) => setImmediate(resolve));
}

async function startOurs(): Promise<(data: WorkflowRun) => Promise<void>> {
  const log = pino({ level: 'silent' });
  const connection = roleConnection(databaseUrl, 'forgewatch_api', Buffer.from(key, 'base64'));
  const db = openDatabase({ connection, maxConnections: 4, onIdleError: () => {} });
  const listener = makeListener(connection, log);
  const realtime = makeRealtime({
    db,
    listener,
    log,
    metrics: new Registry(),
    tokenKeys: [Buffer.from(key, 'base64')],
    isSingleUse: false,
    audience: 'bench',
    allowedOrigins: [],
    path: '/ws',
    loadUpdates: async () => [],
    // Thousands of sockets of one person are what is measured here.
    policy: { ...realtimePolicy, maxConnectionsPerUser: 100_000, pollEveryMs: 3_600_000 },
  });
  await listener.start();
  await realtime.service.start();
  server.on('upgrade', realtime.handleUpgrade);
  mint = () => realtime.mintToken({ userId, integrationIds: [integrationId] }).token;
  const { rows } = await db.withScope({ integrationId }, (tx) =>
    tx.query<{ epoch: string }>('select epoch from realtime_stream where integration_id = $1', [
      integrationId,
    ]),
  );
  const epoch = rows[0]?.epoch ?? '';
  return async (data) => {
    realtime.deliver([
      { v: 1, type: 'workflow_run', integrationId, epoch, seq, at: new Date().toISOString(), data },
    ]);
    // Fan-out goes in turns of the loop; it is over when the last turn has run.
    for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
}

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { after } from 'node:test';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { WebSocket } from 'ws';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import type { ServerMessage, UpdateMessage } from '#contract/runs/realtime.ts';
import { makeListener } from '#platform/database/listener.ts';
import { roleConnection } from '#platform/database/migrate.ts';
import { clientAddress } from '#platform/http/chain/client-address.ts';
import { appendUpdates, lockStreams, type CommittedUpdate } from '#server/realtime/outbox/append-updates.ts';
import { realtimePolicy, type RealtimePolicy } from '#server/realtime/policy.ts';
import type { LoadUpdates } from '#server/realtime/outbox/read-missed.ts';
import { makeRealtime, type Realtime, type RealtimeDeps } from '#server/realtime/realtime.ts';
import { someRun } from '#test/support/data/some-run.ts';
import { testMasterKey, type TestDatabase } from '#test/support/database/test-database.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import { addPerson, addToTeam } from '../team/people.ts';

export const testOrigin = 'https://ci.example.com';

/** A run as tests push it: the number of the update it comes from is its title. */
export function runOf(integrationId: string, runId: number, title = ''): WorkflowRun {
  return someRun({ integrationId, runId, title });
}

/** What a monitoring store would hold: the latest state of each run, for nodes that catch up. */
export interface Truth {
  runs: Map<string, WorkflowRun>;
  loadUpdates: LoadUpdates;
}

export function makeTruth(): Truth {
  const runs = new Map<string, WorkflowRun>();
  return {
    runs,
    loadUpdates: async (_tx, pointers) =>
      pointers.map(({ integrationId, runId }) => runs.get(`${integrationId}/${runId}`)),
  };
}

/** Stores updates as a worker does, and answers what it would push. */
export async function store(
  database: TestDatabase,
  truth: Truth,
  runs: readonly WorkflowRun[],
): Promise<CommittedUpdate[]> {
  const integrationIds = [...new Set(runs.map((run) => run.integrationId))];
  const messages = await database.worker.withScope({ integrationIds }, async (tx) => {
    await lockStreams(tx, integrationIds);
    for (const run of runs) truth.runs.set(`${run.integrationId}/${run.runId}`, run);
    return appendUpdates(
      tx,
      runs.map((data) => ({ type: 'workflow_run', data })),
      integrationIds,
    );
  });
  return messages;
}

export async function makeMember(database: TestDatabase, integrationIds: readonly string[]): Promise<string> {
  const userId = await addPerson(database);
  for (const integrationId of integrationIds) await addToTeam(database, integrationId, userId, 'viewer');
  return userId;
}

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
  truth: Truth,
  options: { policy?: Partial<RealtimePolicy> } & Partial<Omit<RealtimeDeps, 'policy'>> = {},
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
    isSingleUse: false,
    audience: 'http://localhost',
    allowedOrigins: [testOrigin],
    path: '/ws',
    addressOf: clientAddress([]),
    loadUpdates: truth.loadUpdates,
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

export interface TestClient {
  ws: WebSocket;
  messages: ServerMessage[];
  updates(): UpdateMessage[];
  closed: Promise<number>;
}

export const typesOf = ({ messages }: TestClient): string[] => messages.map(({ type }) => type);

/**
 * Opens a socket; resolves once it is open, rejects with the status when it is refused. Who asks for control messages gets
 * those of what happens from now on: news from before would come whenever the node hears of it.
 */
export async function connect(
  node: TestNode,
  grant: { userId: string; integrationIds: readonly string[] },
  {
    isControl = false,
    sessionId = 'test',
    token = node.realtime.mintToken({ ...grant, sessionId }).token,
  } = {},
): Promise<TestClient> {
  if (isControl) await node.heardAll();
  const ws = new WebSocket(`${node.url}?token=${token}&channel=workflows`, isControl ? ['workflows.v1'] : []);
  const messages: ServerMessage[] = [];
  ws.on('message', (data) => messages.push(JSON.parse(String(data)) as ServerMessage));
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('unexpected-response', (_request, response) => {
      reject(new Error(`refused with ${response.statusCode}`));
      ws.terminate();
    });
    ws.on('error', reject);
  });
  return {
    ws,
    messages,
    updates: () => messages.filter((message): message is UpdateMessage => 'seq' in message),
    closed,
  };
}

/** Waits until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await waitUntil(what, condition);
}

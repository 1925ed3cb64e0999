import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { realtimePolicy } from '#server/realtime/policy.ts';
import { makeTokens } from '#server/realtime/ws-token.ts';
import { commitLatency } from './p1-p3-ingress.ts';
import { closedLoop, portOf, prepareTargets, productEnv, startLoad, startProduct } from './ingress.ts';
import { inTurn, median, percentile, ratios, spread } from './numbers.ts';
import { startChild, type Child } from './processes.ts';
import type { Bench, Budget } from './types.ts';

const pairs = 5;
/** What tokens are good for while PUBLIC_URL is unset. */
const defaultPublicUrl = 'http://localhost:8787';
const updatesPerWindow = 40;

interface SocketServer {
  child: Child;
  clients: Child;
  url: string;
}

async function startSockets(bench: Bench, mode: 'ours' | 'bare'): Promise<SocketServer> {
  const { databaseUrl, targets } = await prepareTargets(bench, `sockets_${mode}_${Date.now()}`, 1);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ user_id: string }>('select user_id from memberships');
  await client.end();
  const args = [
    mode,
    databaseUrl,
    targets[0]?.integrationId ?? '',
    rows[0]?.user_id ?? '',
    bench.masterKey.toString('base64'),
  ];
  const child = await startChild('scripts/bench/socket-server.ts', args, {}, ['--expose-gc']);
  const clients = await startChild('scripts/bench/socket-clients.ts', []);
  bench.onEnd(() => child.stop());
  bench.onEnd(() => clients.stop());
  const [port, token] = child.ready.split(' ');
  return { child, clients, url: `ws://127.0.0.1:${port}/ws?token=${token}&channel=workflows` };
}

/** Opened in steps: the server refuses more than a burst from one address. */
async function openSockets({ clients, url }: SocketServer, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 250)
    await clients.ask(`open ${url} ${Math.min(250, count - opened)}`);
}

export const p8: Budget = {
  id: 'P8',
  what: 'one 2 KB update to 2,000 sockets, messages per second of CPU, against bare ws',
  run: async (bench) => {
    const count = 2000;
    const [ours, bare] = [await startSockets(bench, 'ours'), await startSockets(bench, 'bare')];
    await openSockets(ours, count);
    await openSockets(bare, count);
    const window = async ({ child, clients }: SocketServer): Promise<number> => {
      const before = Number(await clients.ask('received'));
      const cpu = Number(await child.ask(`send ${updatesPerWindow}`));
      const wanted = before + updatesPerWindow * count;
      while (Number(await clients.ask('received')) < wanted) await delay(20);
      await clients.ask('latencies');
      return (updatesPerWindow * count) / (cpu / 1e6);
    };
    await window(ours);
    await window(bare);
    const measured = await inTurn(
      pairs,
      () => window(ours),
      () => window(bare),
    );
    const ratio = ratios(measured);
    return [
      {
        id: 'P8',
        what: p8.what,
        measured: `${spread(ratio)}; ${median(measured.map(({ a }) => a)).toFixed(0)}/s`,
        budget: '≥ 0.85',
        met: median(ratio) >= 0.85,
        figures: { ratio: median(ratio), perCpuSecond: median(measured.map(({ a }) => a)) },
      },
    ];
  },
};

export const p9: Budget = {
  id: 'P9',
  what: 'memory of an idle socket, against bare ws',
  run: async (bench) => {
    const count = 2000;
    const growth = (mode: 'ours' | 'bare') => async (): Promise<number> => {
      const server = await startSockets(bench, mode);
      await openSockets(server, 200);
      const before = Number(await server.child.ask('memory'));
      await openSockets(server, count);
      const after = Number(await server.child.ask('memory'));
      await server.clients.stop();
      await server.child.stop();
      return (after - before) / count;
    };
    const measured = await inTurn(pairs, growth('ours'), growth('bare'));
    const ratio = ratios(measured);
    return [
      {
        id: 'P9',
        what: p9.what,
        measured: `${spread(ratio)}; ${(median(measured.map(({ a }) => a)) / 1024).toFixed(1)} KiB`,
        budget: '≤ 1.25',
        met: median(ratio) <= 1.25,
        figures: { ratio: median(ratio), bytes: median(measured.map(({ a }) => a)) },
      },
    ];
  },
};

export const p7: Budget = {
  id: 'P7',
  what: 'from POST to the frame, 200 events/s, 500 sockets, against a commit and a round trip',
  run: async (bench) => {
    const { databaseUrl, targetsFile, targets } = await prepareTargets(bench, `live_${Date.now()}`, 25);
    const serve = await startProduct(bench, 'serve', productEnv(bench, databaseUrl, 'live'));
    const base = serve.ready;
    const bare = await startChild('scripts/bench/bare-server.ts', [targetsFile]);
    const load = await startLoad(bench, targetsFile);
    const clients = await startChild('scripts/bench/socket-clients.ts', []);
    bench.onEnd(() => bare.stop());
    bench.onEnd(() => clients.stop());
    // Each person may hold 20 sockets a node, so 500 sockets are 25 people, each with an integration of their own.
    for (const url of await socketUrls(databaseUrl, base, bench.masterKey))
      await clients.ask(`open ${url} 20`);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('create table commits (id bigint generated always as identity, body bytea)');
    const measured = await inTurn(
      pairs,
      () => postAndWait(base, targets, clients),
      async () => {
        const commit = await commitLatency(client);
        const trip = await closedLoop(load, Number(bare.ready), 1, 1);
        return { p50: commit.p50 + trip.p50, p99: commit.p99 + trip.p99 };
      },
    );
    await client.end();
    return (['p50', 'p99'] as const).map((which) => {
      const ratio = measured.map(({ a, b }) => a[which] / b[which]);
      const budget = which === 'p50' ? 4 : 12;
      return {
        id: `P7 ${which}`,
        what: p7.what,
        measured: `${spread(ratio)}; ${median(measured.map(({ a }) => a[which])).toFixed(1)} ms`,
        budget: `≤ ${budget}`,
        met: median(ratio) <= budget,
        figures: { ratio: median(ratio), ms: median(measured.map(({ a }) => a[which])) },
      };
    });
  },
};

const eventsPerSecond = 200;
const eventsPerWindow = 600;
let nextRun = 1_000_000;

async function postAndWait(
  base: string,
  targets: readonly { integrationId: string; webhookSecret: string }[],
  clients: Child,
): Promise<{ p50: number; p99: number }> {
  const sentAt = new Map<string, number>();
  const startAt = Date.now();
  await Promise.all(
    Array.from({ length: eventsPerWindow }, async (_, index) => {
      const target = targets[index % targets.length];
      nextRun += 1;
      const runId = nextRun;
      await delay(Math.max(0, startAt + (index / eventsPerSecond) * 1000 - Date.now()));
      sentAt.set(String(runId), Date.now());
      if (target !== undefined) await post(base, target, runId);
    }),
  );
  await delay(500);
  const arrivals = JSON.parse(await clients.ask('latencies')) as Record<string, number[]>;
  const latencies = Object.entries(arrivals).flatMap(([runId, times]) =>
    times.map((time) => time - (sentAt.get(runId) ?? time)),
  );
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

async function post(
  base: string,
  { integrationId, webhookSecret }: { integrationId: string; webhookSecret: string },
  runId: number,
): Promise<void> {
  const now = new Date().toISOString();
  const body = JSON.stringify({
    action: 'requested',
    repository: { full_name: 'bench/app', default_branch: 'main' },
    workflow: { id: 1, name: 'CI' },
    workflow_run: {
      id: runId,
      run_attempt: 1,
      run_number: runId,
      name: 'CI',
      status: 'queued',
      conclusion: null,
      created_at: now,
      updated_at: now,
      run_started_at: now,
      head_branch: 'main',
      head_sha: 'a'.repeat(40),
      display_title: 'x'.repeat(1000),
    },
  });
  const headers = {
    'x-github-event': 'workflow_run',
    'x-github-delivery': randomUUID(),
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`,
  };
  const response = await fetch(`${base}/api/import/${integrationId}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
}

/** Makes a person for each integration, and a socket address with a token for each person. */
async function socketUrls(databaseUrl: string, base: string, masterKey: Buffer): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`insert into users (cognito_id) select integration_id::text from integrations`);
  const { rows } = await client.query<{ user_id: string; integration_id: string }>(
    `insert into memberships (integration_id, user_id, role)
     select u.cognito_id::uuid, u.user_id, 'viewer' from users u where u.cognito_id <> 'demo'
     returning user_id, integration_id`,
  );
  await client.end();
  const tokens = makeTokens({ keys: [masterKey], audience: defaultPublicUrl, policy: realtimePolicy });
  return rows.map(({ user_id: userId, integration_id: integrationId }) => {
    const { token } = tokens.mint({ userId, integrationIds: [integrationId], now: Date.now() });
    return `ws://127.0.0.1:${portOf(base)}/ws?token=${token}&channel=workflows`;
  });
}

import pg from 'pg';
import {
  closedLoop,
  openLoop,
  portOf,
  prepareTargets,
  productEnv,
  startLoad,
  startProduct,
  type LoadSummary,
} from './ingress.ts';
import { inTurn, median, percentile, ratios, spread } from './numbers.ts';
import { startChild, type Child } from './processes.ts';
import type { Bench, Budget, Result } from './types.ts';

const pairs = 5;

interface Ingress {
  load: Child;
  port: number;
  databaseUrl: string;
  targetsFile: string;
}

/** The api half alone, warmed up; one for the three budgets of ingress. */
async function startIngress(bench: Bench): Promise<Ingress> {
  const { databaseUrl, targetsFile } = await prepareTargets(bench, `ingress_${Date.now()}`, 200);
  const api = await startProduct(bench, 'api', productEnv(bench, databaseUrl, 'ingress'));
  const load = await startLoad(bench, targetsFile);
  await closedLoop(load, portOf(api.ready));
  return { load, port: portOf(api.ready), databaseUrl, targetsFile };
}

export const p1: Budget = {
  id: 'P1',
  what: 'signed 10 KB webhooks accepted, against bare node:http',
  run: async (bench) => {
    const { load, port, targetsFile } = await startIngress(bench);
    const bare = await startChild('scripts/bench/bare-server.ts', [targetsFile]);
    bench.onEnd(() => bare.stop());
    await closedLoop(load, Number(bare.ready), 1);
    const measured = await inTurn(
      pairs,
      async () => (await closedLoop(load, port)).rate,
      async () => (await closedLoop(load, Number(bare.ready))).rate,
    );
    const ratio = ratios(measured);
    bench.ingressRate = median(measured.map(({ a }) => a));
    return [
      {
        id: 'P1',
        what: p1.what,
        measured: `${spread(ratio)}; ${bench.ingressRate.toFixed(0)}/s`,
        budget: '≥ 0.50',
        met: median(ratio) >= 0.5,
        figures: {
          ratio: median(ratio),
          perSecond: bench.ingressRate,
          barePerSecond: median(measured.map(({ b }) => b)),
        },
      },
    ];
  },
};

export const p2: Budget = {
  id: 'P2',
  what: 'the same, against Fastify, octokit and one pg-boss send a request',
  run: async (bench) => {
    const { load, port, targetsFile } = await startIngress(bench);
    const peer = await startChild('scripts/bench/peer-server.ts', [
      targetsFile,
      await bench.createDatabase(`peer_${Date.now()}`),
    ]);
    bench.onEnd(() => peer.stop());
    await closedLoop(load, Number(peer.ready), 1);
    const measured = await inTurn(
      pairs,
      async () => (await closedLoop(load, port)).rate,
      async () => (await closedLoop(load, Number(peer.ready))).rate,
    );
    const ratio = ratios(measured);
    return [
      {
        id: 'P2',
        what: p2.what,
        measured: spread(ratio),
        budget: '≥ 5',
        met: median(ratio) >= 5,
        figures: { ratio: median(ratio), peerPerSecond: median(measured.map(({ b }) => b)) },
      },
    ];
  },
};

export const p3: Budget = {
  id: 'P3',
  what: 'ingress latency at half that rate, against a single durable commit',
  run: async (bench) => {
    const { load, port, databaseUrl } = await startIngress(bench);
    const rate = 0.5 * (bench.ingressRate ?? (await closedLoop(load, port)).rate);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('create table commits (id bigint generated always as identity, body bytea)');
    const measured = await inTurn(
      pairs,
      () => openLoop(load, port, rate),
      () => commitLatency(client),
    );
    await client.end();
    return [latencyResult('p50', measured, 3), latencyResult('p99', measured, 8)];
  },
};

function latencyResult(
  which: 'p50' | 'p99',
  measured: { a: LoadSummary; b: LoadSummary }[],
  budget: number,
): Result {
  const ratio = measured.map(({ a, b }) => a[which] / b[which]);
  return {
    id: `P3 ${which}`,
    what: p3.what,
    measured: `${spread(ratio)}; ${median(measured.map(({ a }) => a[which])).toFixed(1)} ms`,
    budget: `≤ ${budget}`,
    met: median(ratio) <= budget,
    figures: {
      ratio: median(ratio),
      ms: median(measured.map(({ a }) => a[which])),
      commitMs: median(measured.map(({ b }) => b[which])),
    },
  };
}

/** One row of 2 KB a commit, one after the other, by one connection. */
export async function commitLatency(client: pg.Client): Promise<LoadSummary> {
  const body = Buffer.alloc(2048, 7);
  const latencies: number[] = [];
  const endAt = performance.now() + 2000;
  while (performance.now() < endAt) {
    const startedAt = performance.now();
    await client.query('insert into commits (body) values ($1)', [body]);
    latencies.push(performance.now() - startedAt);
  }
  return {
    rate: latencies.length / 2,
    failed: 0,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}

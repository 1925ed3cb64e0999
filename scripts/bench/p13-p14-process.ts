import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres.ts';
import { closedLoop, portOf, prepareTargets, productEnv, startLoad, startProduct } from './ingress.ts';
import { inTurn, median, ratios, spread } from './numbers.ts';
import type { Budget } from './types.ts';

const pairs = 5;

export const p13: Budget = {
  id: 'P13',
  what: 'npm start to ready on an existing data directory, against its Postgres alone',
  run: async (bench) => {
    const env = productEnv(bench, undefined, 'start');
    const start = async (): Promise<number> => {
      const startedAt = performance.now();
      const serve = await startProduct(bench, 'serve', env);
      const seconds = (performance.now() - startedAt) / 1000;
      await serve.stop();
      return seconds;
    };
    await start();
    const measured = await inTurn(pairs, start, async () => {
      const startedAt = performance.now();
      const postgres = await startEmbeddedPostgres({
        directory: path.join(env['DATA_DIR'] ?? '', 'postgres'),
      });
      const seconds = (performance.now() - startedAt) / 1000;
      await postgres.stop();
      return seconds;
    });
    const ratio = ratios(measured);
    return [
      {
        id: 'P13',
        what: p13.what,
        measured: `${spread(ratio)}; ${median(measured.map(({ a }) => a)).toFixed(2)} s`,
        budget: '≤ 2',
        met: median(ratio) <= 2,
        figures: { ratio: median(ratio), seconds: median(measured.map(({ a }) => a)) },
      },
    ];
  },
};

export const p14: Budget = {
  id: 'P14',
  what: 'memory of serve after 100,000 events, against after 10,000',
  run: async (bench) => {
    const { databaseUrl, targetsFile } = await prepareTargets(bench, `memory_${Date.now()}`, 50);
    const serve = await startProduct(bench, 'serve', productEnv(bench, databaseUrl, 'memory'));
    const load = await startLoad(bench, targetsFile);
    const pid = serve.process.pid ?? 0;
    let sent = 0;
    const sendUntil = async (count: number): Promise<number> => {
      while (sent < count) sent += 3 * (await closedLoop(load, portOf(serve.ready), 3, 16)).rate;
      await settled(serve.ready);
      return rss(pid);
    };
    const [early, late] = [await sendUntil(10_000), await sendUntil(100_000)];
    const ratio = late / early;
    return [
      {
        id: 'P14',
        what: p14.what,
        measured: `${ratio.toFixed(2)}; ${(late / 2 ** 20).toFixed(0)} MiB`,
        budget: '≤ 1.15',
        met: ratio <= 1.15,
        figures: { ratio, bytes: late, events: Math.round(sent) },
      },
    ];
  },
};

/** Waits until the worker has caught up, then a little, so that what can be collected is. */
async function settled(base: string): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${base}/metrics`)).text();
    const waiting = /^forgewatch_queue_ready (\d+)/m.exec(metrics)?.[1];
    if (waiting === '0') break;
    await delay(500);
  }
  await delay(3000);
}

async function rss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  closedLoop,
  openLoop,
  portOf,
  prepareTargets,
  productEnv,
  startLoad,
  startProduct,
} from './ingress.ts';
import { inTurn, median, ratios, spread } from './numbers.ts';
import { concurrency, freshEvents, makePipeline } from './pipeline.ts';
import { plainUpsert } from './plain-upsert.ts';
import type { Budget } from './types.ts';

const pairs = 5;

export const p4: Budget = {
  id: 'P4',
  what: 'queued events stored, 200 integrations, against a plain upsert of the same rows',
  run: async (bench) => {
    const pipeline = await makePipeline(bench, 200);
    let events = freshEvents(pipeline.integrationIds, 5);
    await pipeline.fill(events);
    await pipeline.drain(events.length);
    const measured = await inTurn(
      pairs,
      async () => {
        events = freshEvents(pipeline.integrationIds, 15);
        await pipeline.fill(events);
        return pipeline.drain(events.length);
      },
      () => plainUpsert(pipeline.databaseUrl, events, concurrency),
    );
    const ratio = ratios(measured);
    bench.pipelineRate = median(measured.map(({ a }) => a));
    return [
      {
        id: 'P4',
        what: p4.what,
        measured: `${spread(ratio)}; ${bench.pipelineRate.toFixed(0)}/s`,
        budget: '≥ 0.60',
        met: median(ratio) >= 0.6,
        figures: {
          ratio: median(ratio),
          perSecond: bench.pipelineRate,
          plainPerSecond: median(measured.map(({ b }) => b)),
        },
      },
    ];
  },
};

export const p5: Budget = {
  id: 'P5',
  what: 'the same with a single integration, against 200',
  run: async (bench) => {
    const [one, many] = [await makePipeline(bench, 1), await makePipeline(bench, 200)];
    const measure = (pipeline: typeof one, each: number) => async () => {
      const events = freshEvents(pipeline.integrationIds, each);
      await pipeline.fill(events);
      return pipeline.drain(events.length);
    };
    await measure(one, 500)();
    await measure(many, 5)();
    const measured = await inTurn(pairs, measure(one, 1500), measure(many, 10));
    const ratio = ratios(measured);
    return [
      {
        id: 'P5',
        what: p5.what,
        measured: `${spread(ratio)}; ${median(measured.map(({ a }) => a)).toFixed(0)}/s`,
        budget: '≥ 0.40',
        met: median(ratio) >= 0.4,
        figures: { ratio: median(ratio), perSecond: median(measured.map(({ a }) => a)) },
      },
    ];
  },
};

const keepUpSeconds = 60;

export const p6: Budget = {
  id: 'P6',
  what: `backlog after ${keepUpSeconds} s at 0.7 of the rate of P1, the worker beside it`,
  run: async (bench) => {
    const { databaseUrl, targetsFile } = await prepareTargets(bench, `keep_up_${Date.now()}`, 200);
    const env = productEnv(bench, databaseUrl, 'keep-up');
    const api = await startProduct(bench, 'api', env);
    const load = await startLoad(bench, targetsFile);
    const port = portOf(api.ready);
    const rate = 0.7 * (bench.ingressRate ?? (await closedLoop(load, port)).rate);
    await startProduct(bench, 'worker', env);
    await drained(databaseUrl);
    const sent = await openLoop(load, port, rate, keepUpSeconds);
    const backlog = await depth(databaseUrl);
    const share = backlog / (sent.rate * keepUpSeconds);
    return [
      {
        id: 'P6',
        what: p6.what,
        measured: `${(share * 100).toFixed(1)} % of ${(sent.rate * keepUpSeconds).toFixed(0)}`,
        budget: '≤ 1 %',
        met: share <= 0.01,
        figures: { share, backlog, perSecond: sent.rate },
      },
    ];
  },
};

async function depth(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    'select ready + in_flight as count from queue_depth()',
  );
  await client.end();
  return Number(rows[0]?.count);
}

async function drained(databaseUrl: string): Promise<void> {
  while ((await depth(databaseUrl)) > 0) await delay(100);
}

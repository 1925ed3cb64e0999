import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { CreatedIntegration } from '#server/integrations/create-integration.ts';
import type { SimulatedEvent } from '#server/simulate/event.ts';
import { sampleRepositoryNames } from '#server/sample-data/sample-repositories.ts';
import { repository } from '#server/simulate/payload/objects.ts';
import { createSimulator } from '#server/simulate/simulator.ts';
import { postWebhook } from '#test/support/forge/post-webhook.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';
import { cpuMicros } from '../cpu.ts';
import { failedLog, startLogForge } from '../log-forge.ts';
import { inTurn, median, pick, ratioResult } from '../results/pairs.ts';
import { startSignedIn, type SignedIn } from '../signed-in.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';

const logLines = 2000;
const connections = 16;

export const p16Reasons: Budget = {
  id: 'P16 reasons',
  what: 'CPU of serve and Postgres per event with the logs of failed jobs read, against without a connection',
  run: async (bench) => {
    const size = bench.isQuick ? 2000 : 6000;
    const { databaseUrl, integrations } = await prepareTargets(bench, 'reasons', 2);
    const [connected, alone] = integrations as [CreatedIntegration, CreatedIntegration];
    const log = failedLog(logLines);
    const names = sampleRepositoryNames.map((name) => repository(name).full.full_name);
    const forge = await startLogForge(bench, names, log);
    const product = await startSignedIn(bench, 'reasons', databaseUrl, {
      part: 'serve',
      settings: { FORGE_URL: forge.url, FORGE_API_URL: forge.url },
    });
    await connect(product, connected.integrationId, forge.url, names);
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    bench.onEnd(() => owner.end());
    const measure = makeMeasure(bench, { product, owner });
    await measure(alone, size / 4);
    await measure(connected, size / 4);
    const before = forge.read();
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 3 : 7,
      () => measure(connected, size),
      () => measure(alone, size),
    );
    const cost = pick(pairs, ({ micros }) => micros);
    const failed = median(pairs.map(({ product: side }) => side.failedShare));
    const micros = (side: 'product' | 'other') => median(cost.map((pair) => pair[side])).toFixed(0);
    const note =
      `${micros('product')} and ${micros('other')} µs an event, ${(failed * 100).toFixed(0)} % of jobs fail, ` +
      `logs of ${Math.round(log.length / 1024)} KiB, ${forge.read() - before} read`;
    return [ratioResult(p16Reasons, cost, { atMost: 1.05 }, { note, failedShare: failed })];
  },
};

interface Measured {
  micros: number;
  failedShare: number;
}

async function connect({ url, browser }: SignedIn, integrationId: string, forgeUrl: string, names: string[]) {
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await browser.fetch(`${url}/api/integrations/${integrationId}/forge-connection${path}`, {
      method: 'PUT',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  };
  await put('', { forge: 'github', url: forgeUrl, token: 'bench' });
  await put('/repositories', { repositories: names });
}

let seed = 0;

/** Sends new events, waits until they and their reasons are stored, and returns the CPU of one event without that of an idle product. */
function makeMeasure(bench: Bench, { product, owner }: { product: SignedIn; owner: pg.Client }) {
  const cpu = () => cpuMicros(product.pid) + cpuMicros(bench.postgresPid());
  return async (target: CreatedIntegration, count: number): Promise<Measured> => {
    const events = newEvents(count);
    await quiet(product.url, owner);
    const idle = await idleMicrosPerMs(cpu);
    const [startedAt, before] = [performance.now(), cpu()];
    const waiting = [...events];
    await Promise.all(
      Array.from({ length: connections }, async () => {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
          const { eventType, payload, deliveryId } = event;
          const { ok, status } = await postWebhook(product.url, target, {
            event: eventType,
            payload,
            deliveryId,
          });
          if (!ok) throw new Error(`a webhook was answered with ${status}`);
        }
      }),
    );
    await quiet(product.url, owner);
    const used = cpu() - before - idle * (performance.now() - startedAt);
    const jobs = events.flatMap(({ eventType, payload }) =>
      eventType === 'workflow_job' && payload.workflow_job.status === 'completed'
        ? [payload.workflow_job.conclusion]
        : [],
    );
    const failed = jobs.filter((conclusion) => conclusion === 'failure' || conclusion === 'timed_out');
    return { micros: used / events.length, failedShare: failed.length / jobs.length };
  };
}

function newEvents(count: number): SimulatedEvent[] {
  seed += 1;
  return [
    ...createSimulator({ seed: `reasons/${seed}`, startAt: new Date() })
      .stream({ rate: 5 })
      .take(count),
  ];
}

/** Until no message and no failure has waited for a moment: a message can be on its way to become a failure. */
async function quiet(base: string, owner: pg.Client): Promise<void> {
  for (let looks = 0; looks < 3; looks += 1) {
    await delay(300);
    const metrics = await readMetrics(base);
    const { rows } = await owner.query('select from pending_failures limit 1');
    if (!/^forgewatch_queue_ready 0$/m.test(metrics) || rows.length > 0) looks = -1;
  }
}

/** Periodic work costs the same without events. */
async function idleMicrosPerMs(cpu: () => number): Promise<number> {
  await delay(2000);
  const [startedAt, before] = [performance.now(), cpu()];
  await delay(4000);
  return (cpu() - before) / (performance.now() - startedAt);
}

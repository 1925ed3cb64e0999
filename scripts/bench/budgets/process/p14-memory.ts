import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../../load.ts';
import { median } from '../../results/pairs.ts';
import { packagedScript, portOf, startProduct } from '../../product.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget, Result } from '../../types.ts';
import { readMetrics } from '#test/support/product/operator-metrics.ts';

const largestRatio = 1.15;
const largestIdleMiB = 115;

export const p14: Budget = {
  id: 'P14',
  what: 'memory of packaged serve: idle, and after 100,000 events, against after 10,000',
  run: async (bench) => {
    const [early, late] = bench.isQuick ? [2_000, 20_000] : [10_000, 100_000];
    const { databaseUrl, file } = await prepareTargets(bench, 'memory', 50);
    const serve = await startProduct(bench, 'serve', databaseUrl, await packagedScript());
    const idle = await residentBytes(serve.pid);
    const load = await startLoad(bench, file);
    let sent = 0;
    const bytesAfter = async (events: number): Promise<number> => {
      while (sent < events)
        sent += (await load.run({ port: portOf(serve.ready), seconds: 1, connections: 16, kind: 'fresh' }))
          .answered;
      await caughtUp(serve.ready);
      bench.say(`  ${sent} events stored`);
      return residentBytes(serve.pid);
    };
    const [before, after] = [await bytesAfter(early), await bytesAfter(late)];
    const ratio = after / before;
    const results: Result[] = [
      {
        id: 'P14 idle',
        what: 'memory of packaged serve without traffic',
        measured: `${(idle / 2 ** 20).toFixed(0)} MiB`,
        budget: `≤ ${largestIdleMiB} MiB`,
        met: idle <= largestIdleMiB * 2 ** 20,
        figures: { idle },
      },
      {
        id: 'P14',
        what: `memory of serve after ${late.toLocaleString('en')} events, against after ${early.toLocaleString('en')}`,
        measured: `${ratio.toFixed(2)}; ${(before / 2 ** 20).toFixed(0)} to ${(after / 2 ** 20).toFixed(0)} MiB`,
        budget: `≤ ${largestRatio}`,
        met: ratio <= largestRatio,
        figures: { ratio, before, after, events: sent },
      },
    ];
    return results;
  },
};

async function caughtUp(base: string): Promise<void> {
  for (;;) {
    const metrics = await readMetrics(base);
    const waiting = /^forgewatch_queue_ready (\d+)/m.exec(metrics)?.[1];
    if (waiting === undefined) throw new Error('the metrics contain no number of ready messages');
    if (waiting === '0') return;
    await delay(500);
  }
}

const looks = 10;

/** Memory varies with garbage collection, so this takes the median of several readings, half a second apart. */
async function residentBytes(pid: number): Promise<number> {
  const bytes: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    await delay(500);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    bytes.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024);
  }
  return median(bytes);
}

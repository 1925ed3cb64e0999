import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { startNode, root } from '../../children.ts';
import { ingressRate, startLoad } from '../../load.ts';
import { portOf, productEnv, productScript } from '../../product.ts';
import { prepareTargets } from '../../targets.ts';
import { waitUntil } from '#test/support/waiting/wait-until.ts';
import type { Budget } from '../../types.ts';

const longestMs = 50;
const p999Ms = 20;
const windowSeconds = 10;

interface Delays {
  longest: number;
  p999: number;
}

export const p15: Budget = {
  id: 'P15',
  what: 'event-loop delay of api at a quarter of the rate of P1',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'stalls', 200);
    const delayFile = path.join(bench.directory, 'delays.json');
    const env = { ...productEnv(bench, 'stalls-data', databaseUrl), BENCH_DELAY_FILE: delayFile };
    const nodeArgs = ['--import', path.join(root, 'scripts/bench/programs/loop-delay.ts')];
    const api = await startNode(bench, productScript, ['api'], { env, nodeArgs });
    const port = portOf(api.ready);
    const load = await startLoad(bench, file);
    const rate = (await ingressRate(bench, load, port)) / 4;
    const readDelays = async (): Promise<Delays> => {
      await rm(delayFile, { force: true });
      process.kill(api.pid, 'SIGUSR2');
      const read = () => readFile(delayFile, 'utf8').catch(() => '');
      await waitUntil('the delays', async () => (await read()).endsWith('}'));
      return JSON.parse(await read()) as Delays;
    };
    await load.run({ port, seconds: 5, rate });
    await readDelays();
    const windows: Delays[] = [];
    const minutes = bench.isQuick ? 0.5 : 10;
    while (windows.length * windowSeconds < minutes * 60) {
      await load.run({ port, seconds: windowSeconds, rate });
      windows.push(await readDelays());
    }
    const longest = Math.max(...windows.map((window) => window.longest));
    // Of the worst window: percentiles of windows cannot be combined.
    const p999 = Math.max(...windows.map((window) => window.p999));
    return [
      {
        id: p15.id,
        what: `${p15.what}, ${minutes} min: longest, and p99.9 of the worst 10 s`,
        measured: `${longest.toFixed(0)} and ${p999.toFixed(0)} ms at ${rate.toFixed(0)}/s`,
        budget: `≤ ${longestMs} and ≤ ${p999Ms} ms`,
        met: longest <= longestMs && p999 <= p999Ms,
        figures: { longest, p999, perSecond: rate, minutes },
      },
    ];
  },
};

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { packagedScript, startProduct } from '../product.ts';
import { median } from '../pairs.ts';
import { prepareTargets } from '../targets.ts';
import type { Budget } from '../types.ts';

const largestMiB = 120;

export const p14: Budget = {
  id: 'P14',
  what: 'memory of packaged serve without traffic',
  run: async (bench) => {
    const { databaseUrl } = await prepareTargets(bench, 'memory', 50);
    const { pid } = await startProduct(bench, 'serve', databaseUrl, await packagedScript());
    const idle = await residentBytes(pid);
    return [
      {
        id: p14.id,
        what: p14.what,
        measured: `${(idle / 2 ** 20).toFixed(0)} MiB`,
        budget: `≤ ${largestMiB} MiB`,
        met: idle <= largestMiB * 2 ** 20,
        figures: { idle },
      },
    ];
  },
};

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

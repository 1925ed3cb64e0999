import { startNode } from '../../children.ts';
import { startLoad } from '../../load.ts';
import { inTurn, median, pick, ratioResult } from '../../results/pairs.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget } from '../../types.ts';
import { measureIngress, microsOf } from './p1-ingress.ts';

export const p1Plain: Budget = {
  id: 'P1 plain',
  what: 'P1 cpu of a short Node program that verifies, compresses, seals and commits in groups, and no more',
  run: async (bench) => {
    const { file } = await prepareTargets(bench, 'plain_targets', 200);
    const plain = await startNode(bench, 'scripts/bench/programs/plain/ingress.ts', [
      file,
      await bench.createDatabase('plain_ingress'),
    ]);
    const bare = await startNode(bench, 'scripts/bench/programs/plain/bare-server.ts', [file]);
    const load = await startLoad(bench, file);
    const measure = ({ ready, pid }: typeof plain, seconds: number) =>
      measureIngress(bench, load, Number(ready), seconds, pid);
    await measure(plain, 3);
    await measure(bare, 2);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => measure(plain, 2),
      () => measure(bare, 2),
    );
    const micros = median(pairs.map(({ product }) => microsOf(product)));
    return [ratioResult(p1Plain, pick(pairs, microsOf), undefined, { note: `${micros.toFixed(0)} µs` })];
  },
};

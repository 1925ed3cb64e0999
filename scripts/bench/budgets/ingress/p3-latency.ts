import { openCommitProbe, type Latency } from '../../durable-commit.ts';
import { startLoad } from '../../load.ts';
import { inTurn, median, pick, ratioResult } from '../../results/pairs.ts';
import { portOf, startProduct } from '../../product.ts';
import { prepareTargets } from '../../targets.ts';
import type { Budget } from '../../types.ts';

const limits = { p50: 4, p99: 12 } as const;

export const p3: Budget = {
  id: 'P3',
  what: 'ingress latency at a quarter of that rate, against a single durable commit',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'latency', 200);
    const port = portOf((await startProduct(bench, 'api', databaseUrl)).ready);
    const load = await startLoad(bench, file);
    await load.run({ port, seconds: 3 });
    const rates: number[] = [];
    const probe = await openCommitProbe(databaseUrl);
    bench.onEnd(() => probe.close());
    await probe.measure(1);
    const pairs = await inTurn<Latency>(
      bench,
      bench.isQuick ? 5 : 7,
      async () => {
        // Measured again now, because the speed of the machine may have changed since P1.
        const rate = (await load.run({ port, seconds: 1 })).rate / 4;
        rates.push(rate);
        const { p50, p99 } = await load.run({ port, seconds: 3, rate });
        return { p50, p99 };
      },
      () => probe.measure(2),
    );
    return (['p50', 'p99'] as const).map((which) =>
      ratioResult(
        { id: `P3 ${which}`, what: p3.what },
        pick(pairs, (side) => side[which]),
        { atMost: limits[which] },
        {
          note: `${median(pairs.map(({ product }) => product[which])).toFixed(1)} ms`,
          perSecond: median(rates),
        },
      ),
    );
  },
};

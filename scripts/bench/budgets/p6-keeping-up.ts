import { setTimeout as delay } from 'node:timers/promises';
import { startLoad, type Load, type LoadSummary } from '../load.ts';
import { portOf, startProduct } from '../product.ts';
import { queueDepth } from '../queue-depth.ts';
import { median } from '../pairs.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget, Result } from '../types.ts';

const largestBacklog = 0.01;
/** Below this share of the offered rate, ingress itself is too slow. A short queue must not hide that. */
const smallestRate = 0.97;

/** Of the rate that the api alone accepts. */
const share = 0.3;

export const p6: Budget = {
  id: 'P6',
  what: `backlog of serve after a minute at ${share} of the rate that the api alone accepts`,
  run: async (bench) => {
    const seconds = bench.isQuick ? 15 : 60;
    const { databaseUrl, file } = await prepareTargets(bench, 'keep_up', 200);
    const load = await startLoad(bench, file);
    const rate = share * (await acceptedPerSecond(bench, databaseUrl, load));
    const port = portOf((await startProduct(bench, 'serve', databaseUrl)).ready);
    await load.run({ port, seconds: 3, rate: rate / 2, kind: 'fresh' });
    while ((await queueDepth(databaseUrl)) > 0) await delay(200);

    const sent = await load.runAnyway({ port, seconds, rate, kind: 'fresh' });
    return [result(rate, await queueDepth(databaseUrl), sent)];
  },
};

function result(rate: number, backlog: number, sent: LoadSummary): Result {
  const accepted = sent.answered - sent.failed;
  const left = backlog / accepted;
  const reached = accepted / sent.seconds / rate;
  const slow = reached < smallestRate ? `, only ${(reached * 100).toFixed(0)} % of the rate came in` : '';
  const refused = sent.failed > 0 ? `, ${sent.failed} refused or unanswered` : '';
  return {
    id: p6.id,
    what: p6.what,
    measured: `${(left * 100).toFixed(1)} % of ${accepted} at ${rate.toFixed(0)}/s${slow}${refused}`,
    budget: '≤ 1 %',
    met: left <= largestBacklog && reached >= smallestRate && sent.failed === 0,
    figures: {
      share: left,
      backlog,
      refused: sent.failed,
      perSecond: accepted / sent.seconds,
      wantedPerSecond: rate,
      p99: sent.p99,
    },
  };
}

async function acceptedPerSecond(bench: Bench, databaseUrl: string, load: Load): Promise<number> {
  const api = await startProduct(bench, 'api', databaseUrl);
  const port = portOf(api.ready);
  await load.run({ port, seconds: 3 });
  const rates: number[] = [];
  for (let window = 0; window < 3; window += 1) rates.push((await load.run({ port, seconds: 2 })).rate);
  await api.stop();
  return median(rates);
}

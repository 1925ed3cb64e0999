import { setTimeout as delay } from 'node:timers/promises';
import { ingressRate, startLoad, type LoadSummary } from '../../load.ts';
import { portOf, startProduct } from '../../product.ts';
import { queueDepth } from '../../queue-depth.ts';
import { prepareTargets } from '../../targets.ts';
import type { Bench, Budget, Result } from '../../types.ts';

const largestBacklog = 0.01;
/** Below this share of the offered rate, ingress itself is too slow. A short queue must not hide that. */
const smallestRate = 0.97;

export const p6: Budget = {
  id: 'P6',
  what: 'backlog after a minute at a third of the rate of P1, worker beside it',
  run: async (bench) => [
    await keepUp(bench, { id: 'P6', how: 'in one process (serve)', isServe: true, share: 0.3 }),
    await keepUp(bench, { id: 'P6 apart', how: 'in two processes', isServe: false, share: 0.35 }),
  ],
};

interface Case {
  id: string;
  how: string;
  isServe: boolean;
  /** Of the rate of P1. */
  share: number;
}

async function keepUp(bench: Bench, { id, how, isServe, share }: Case): Promise<Result> {
  const seconds = bench.isQuick ? 15 : isServe ? 60 : 30;
  const { databaseUrl, file } = await prepareTargets(bench, 'keep_up', 200);
  const load = await startLoad(bench, file);
  const rate = share * (await rateOf(bench, databaseUrl, load));
  const ends: (() => Promise<void>)[] = [];
  const own = { ...bench, onEnd: (end: () => Promise<void>) => (ends.push(end), bench.onEnd(end)) };
  const front = await startProduct(own, isServe ? 'serve' : 'api', databaseUrl);
  if (!isServe) await startProduct(own, 'worker', databaseUrl);
  const port = portOf(front.ready);
  await load.run({ port, seconds: 3, rate: rate / 2, kind: 'fresh' });
  while ((await queueDepth(databaseUrl)) > 0) await delay(200);

  const sent = await load.runAnyway({ port, seconds, rate, kind: 'fresh' });
  const backlog = await queueDepth(databaseUrl);
  for (const end of ends.toReversed()) await end();
  return result(
    id,
    `backlog after ${seconds} s at ${share} of the rate of P1, worker ${how}`,
    rate,
    backlog,
    sent,
  );
}

function result(id: string, what: string, rate: number, backlog: number, sent: LoadSummary): Result {
  const accepted = sent.answered - sent.failed;
  const share = backlog / accepted;
  const reached = accepted / sent.seconds / rate;
  const slow = reached < smallestRate ? `, only ${(reached * 100).toFixed(0)} % of the rate came in` : '';
  const refused = sent.failed > 0 ? `, ${sent.failed} refused or unanswered` : '';
  return {
    id,
    what,
    measured: `${(share * 100).toFixed(1)} % of ${accepted} at ${rate.toFixed(0)}/s${slow}${refused}`,
    budget: '≤ 1 %',
    met: share <= largestBacklog && reached >= smallestRate && sent.failed === 0,
    figures: {
      share,
      backlog,
      refused: sent.failed,
      perSecond: accepted / sent.seconds,
      wantedPerSecond: rate,
      p99: sent.p99,
    },
  };
}

/** P1 measures the api alone, so this does too. */
async function rateOf(
  bench: Bench,
  databaseUrl: string,
  load: Awaited<ReturnType<typeof startLoad>>,
): Promise<number> {
  if (bench.reached.ingressPerSecond !== undefined) return bench.reached.ingressPerSecond;
  const api = await startProduct(bench, 'api', databaseUrl);
  await load.run({ port: portOf(api.ready), seconds: 3 });
  const rate = await ingressRate(bench, load, portOf(api.ready));
  await api.stop();
  return rate;
}

import { startNode } from '../../children.ts';
import { cpuMicros } from '../../cpu.ts';
import { startLoad, type Load } from '../../load.ts';
import { inTurn, median, pick, ratioResult } from '../../results/pairs.ts';
import { portOf, startProduct } from '../../product.ts';
import { prepareTargets } from '../../targets.ts';
import type { Bench, Budget } from '../../types.ts';

export const p1: Budget = {
  id: 'P1',
  what: 'signed 10 KB webhooks accepted, against bare node:http',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'ingress', 200);
    const api = await startProduct(bench, 'api', databaseUrl);
    const bare = await startNode(bench, 'scripts/bench/programs/plain/bare-server.ts', [file]);
    const load = await startLoad(bench, file);
    const product = (seconds: number) => measureIngress(bench, load, portOf(api.ready), seconds, api.pid);
    const ceiling = (seconds: number) => measureIngress(bench, load, Number(bare.ready), seconds, bare.pid);
    await product(3);
    await ceiling(2);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => product(2),
      () => ceiling(2),
    );
    const perSecond = median(pairs.map((pair) => pair.product.rate));
    bench.reached.ingressPerSecond = perSecond;
    const micros = (part: keyof IngressWindow) => median(pairs.map((pair) => pair.product[part]));
    return [
      ratioResult(
        p1,
        pick(pairs, ({ rate }) => rate),
        { atLeast: 0.45 },
        {
          note: `${perSecond.toFixed(0)}/s`,
          productMicros: micros('serverMicros'),
          postgresMicros: micros('postgresMicros'),
          loadMicros: micros('loadMicros'),
          bareMicros: median(pairs.map(({ other }) => other.serverMicros)),
        },
      ),
      ratioResult(
        { id: 'P1 cpu', what: 'CPU of api and Postgres for a webhook, against bare node:http' },
        pick(pairs, microsOf),
        { atMost: 2.2 },
        { note: `${(micros('serverMicros') + micros('postgresMicros')).toFixed(0)} µs` },
      ),
    ];
  },
};

/** CPU microseconds per request. */
export interface IngressWindow {
  rate: number;
  serverMicros: number;
  postgresMicros: number;
  loadMicros: number;
}

export function microsOf({ serverMicros, postgresMicros }: IngressWindow): number {
  return serverMicros + postgresMicros;
}

export async function measureIngress(
  bench: Bench,
  load: Load,
  port: number,
  seconds: number,
  pid: number,
): Promise<IngressWindow> {
  const before = [cpuMicros(pid), cpuMicros(bench.postgresPid())] as const;
  const { rate, answered, cpuMicros: loadMicros } = await load.run({ port, seconds });
  return {
    rate,
    serverMicros: (cpuMicros(pid) - before[0]) / answered,
    postgresMicros: (cpuMicros(bench.postgresPid()) - before[1]) / answered,
    loadMicros: loadMicros / answered,
  };
}

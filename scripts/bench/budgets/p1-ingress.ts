import { cpuMicros } from '../cpu.ts';
import { startGoReference } from '../go-reference.ts';
import { startLoad, type Load } from '../load.ts';
import { portOf, startProduct } from '../product.ts';
import { inTurn, median, pick, ratioResult } from '../pairs.ts';
import { prepareTargets } from '../targets.ts';
import type { Bench, Budget } from '../types.ts';

export const p1: Budget = {
  id: 'P1',
  what: 'CPU of api and Postgres for a signed 10 KB webhook, against Go with pgx and one commit for up to 64 webhooks',
  run: async (bench) => {
    const { databaseUrl, file } = await prepareTargets(bench, 'ingress', 200);
    const reference = await startGoReference(bench, file);
    if (reference === undefined) return [];
    const api = await startProduct(bench, 'api', databaseUrl);
    const load = await startLoad(bench, file);
    const product = (seconds: number) => measure(bench, load, portOf(api.ready), seconds, api.pid);
    const other = (seconds: number) => measure(bench, load, Number(reference.ready), seconds, reference.pid);
    await product(3);
    await other(2);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => product(2),
      () => other(2),
    );
    const of = (side: 'product' | 'other', part: keyof IngressWindow) =>
      median(pairs.map((pair) => pair[side][part]));
    const perSecond = of('product', 'rate');
    const micros = (part: keyof IngressWindow) => of('product', part);
    return [
      ratioResult(
        p1,
        pick(pairs, ({ serverMicros, postgresMicros }) => serverMicros + postgresMicros),
        { atMost: 0.5 },
        {
          note: `${(micros('serverMicros') + micros('postgresMicros')).toFixed(0)} µs, ${perSecond.toFixed(0)}/s; Go ${of('other', 'rate').toFixed(0)}/s`,
          perSecond,
          goPerSecond: of('other', 'rate'),
          productMicros: micros('serverMicros'),
          postgresMicros: micros('postgresMicros'),
          loadMicros: micros('loadMicros'),
        },
      ),
    ];
  },
};

/** CPU microseconds per request. */
interface IngressWindow {
  rate: number;
  serverMicros: number;
  postgresMicros: number;
  loadMicros: number;
}

async function measure(
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

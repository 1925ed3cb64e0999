import path from 'node:path';
import { startNode, type Child } from '../children.ts';
import { cpuMicros } from '../cpu.ts';
import { packagedScript, productEnv, productScript } from '../product.ts';
import { inTurn, median, pick, ratioResult } from '../pairs.ts';
import type { Budget } from '../types.ts';

export const p13: Budget = {
  id: 'P13',
  what: 'packaged serve to ready on an existing data directory, against a program that starts its Postgres',
  run: async (bench) => {
    const env = productEnv(bench, 'start');
    const cluster = path.join(env['DATA_DIR'] ?? '', 'postgres');
    const script = await packagedScript();
    const serve = (program: string) => () => startNode(bench, program, ['serve'], { env });
    await measureStart(serve(script));
    const pairs = await inTurn(
      bench,
      5,
      () => measureStart(serve(script)),
      () => measureStart(() => startNode(bench, 'scripts/bench/programs/postgres-alone.ts', [cluster])),
    );
    const sources = await measureStart(serve(productScript));
    const of = (side: 'product' | 'other', part: keyof Start) =>
      median(pairs.map((pair) => pair[side][part]));
    return [
      ratioResult(
        p13,
        pick(pairs, ({ seconds }) => seconds),
        { atMost: 3.2 },
        {
          note: `${of('product', 'seconds').toFixed(2)} s, Postgres ${of('other', 'seconds').toFixed(2)} s`,
          productMicros: of('product', 'micros'),
          postgresMicros: of('other', 'micros'),
          sourcesMicros: sources.micros,
        },
      ),
    ];
  },
};

interface Start {
  seconds: number;
  /** CPU time of the program and its Postgres. */
  micros: number;
}

async function measureStart(start: () => Promise<Child>): Promise<Start> {
  const startedAt = performance.now();
  const started = await start();
  const seconds = (performance.now() - startedAt) / 1000;
  const micros = cpuMicros(started.pid);
  // The program handles signals shortly after its line. A response shows that it does.
  if (started.ready.startsWith('http')) await fetch(new URL('/healthz', started.ready));
  await started.stop();
  return { seconds, micros };
}

import path from 'node:path';
import { startEmbeddedPostgres } from '#platform/database/embedded/embedded-postgres.ts';
import { startChild, startNode } from '../children.ts';
import { inTurn, median, ratioResult, type Pair } from '../results/pairs.ts';
import { productEnv, productScript } from '../product.ts';
import type { Budget, Result } from '../types.ts';

export const p13: Budget = {
  id: 'P13',
  what: 'npm start to ready on an existing data directory, against its Postgres alone',
  run: async (bench) => {
    const env = productEnv(bench, 'start');
    const cluster = path.join(env['DATA_DIR'] ?? '', 'postgres');
    const npmStart = () => startChild(bench, 'npm', ['start', '--silent'], { env });
    await seconds(npmStart);
    const asPeopleDo = await inTurn(
      bench,
      5,
      () => seconds(npmStart),
      () => seconds(() => startEmbeddedPostgres({ directory: cluster })),
    );
    // The time of npm and of the start of Node is in both sides or in neither.
    const asPrograms = await inTurn(
      bench,
      5,
      () => seconds(() => startNode(bench, productScript, ['serve'], { env })),
      () => seconds(() => startNode(bench, 'scripts/bench/programs/postgres-alone.ts', [cluster])),
    );
    return [
      result(p13, asPeopleDo),
      result(
        { id: 'P13 program', what: 'the same without npm, against a program that starts its Postgres' },
        asPrograms,
      ),
    ];
  },
};

function result(row: { id: string; what: string }, pairs: readonly Pair<number>[]): Result {
  const [product, other] = [
    median(pairs.map((pair) => pair.product)),
    median(pairs.map((pair) => pair.other)),
  ];
  return ratioResult(
    row,
    pairs,
    { atMost: 2 },
    { note: `${product.toFixed(2)} s, Postgres ${other.toFixed(2)} s` },
  );
}

async function seconds(start: () => Promise<{ stop(): Promise<void>; ready?: string }>): Promise<number> {
  const startedAt = performance.now();
  const started = await start();
  const taken = (performance.now() - startedAt) / 1000;
  // The program handles signals shortly after its line. A response shows that it does.
  if (started.ready?.startsWith('http')) await fetch(new URL('/healthz', started.ready));
  await started.stop();
  return taken;
}

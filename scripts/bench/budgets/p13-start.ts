import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres.ts';
import { findRunning } from '#server/running.ts';
import { startChild } from '../children.ts';
import { inTurn, median, ratioResult } from '../pairs.ts';
import { productEnv } from '../product.ts';
import type { Bench, Budget } from '../types.ts';

export const p13: Budget = {
  id: 'P13',
  what: 'npm start to ready on an existing data directory, against its Postgres alone',
  run: async (bench) => {
    const env = productEnv(bench, 'start');
    await startEverything(bench, env);
    const pairs = await inTurn(
      bench,
      7,
      () => startEverything(bench, env),
      () => startPostgres(path.join(env['DATA_DIR'] ?? '', 'postgres')),
    );
    return [
      ratioResult(
        p13,
        pairs,
        { atMost: 2 },
        {
          note: `${median(pairs.map(({ product }) => product)).toFixed(2)} s`,
        },
      ),
    ];
  },
};

/** Seconds, npm's own included. */
async function startEverything(bench: Bench, env: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now();
  const child = await startChild(bench, 'npm', ['start'], { env, end: (npm) => void endServe(npm, env) });
  const seconds = (performance.now() - startedAt) / 1000;
  await child.stop();
  return seconds;
}

/** The program itself is told, once: npm may pass a signal on or not, and a second one would cut the program's end short. */
async function endServe(npm: ChildProcess, env: NodeJS.ProcessEnv): Promise<void> {
  const running = await findRunning(env['DATA_DIR'] ?? '');
  process.kill(running?.pid ?? -(npm.pid ?? 0), 'SIGTERM');
}

async function startPostgres(directory: string): Promise<number> {
  const startedAt = performance.now();
  const postgres = await startEmbeddedPostgres({ directory });
  const seconds = (performance.now() - startedAt) / 1000;
  await postgres.stop();
  return seconds;
}

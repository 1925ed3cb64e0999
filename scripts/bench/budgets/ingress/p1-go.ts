import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { root, startChild } from '../../children.ts';
import { startLoad } from '../../load.ts';
import { portOf, startProduct } from '../../product.ts';
import { inTurn, median, pick, ratioResult } from '../../results/pairs.ts';
import { prepareTargets } from '../../targets.ts';
import type { Bench, Budget } from '../../types.ts';
import { measureIngress, microsOf } from './p1-ingress.ts';

const run = promisify(execFile);
/** The second is where the installer of Go puts it. */
const compilers = ['go', '/usr/local/go/bin/go'];

export const p1Go: Budget = {
  id: 'P1 Go',
  what: 'the CPU of P1 for a webhook, against Go with pgx and one commit for up to 64 webhooks',
  run: async (bench) => {
    const program = await buildReference(bench);
    if (program === undefined) {
      bench.say('  skipped: Go is not installed, or its modules cannot be downloaded');
      return [];
    }
    const { databaseUrl, file } = await prepareTargets(bench, 'go_product', 200);
    const api = await startProduct(bench, 'api', databaseUrl);
    const reference = await startChild(bench, program, [file, await bench.createDatabase('go_reference')]);
    const load = await startLoad(bench, file);
    const product = (seconds: number) => measureIngress(bench, load, portOf(api.ready), seconds, api.pid);
    const other = (seconds: number) =>
      measureIngress(bench, load, Number(reference.ready), seconds, reference.pid);
    await product(3);
    await other(2);
    const pairs = await inTurn(
      bench,
      bench.isQuick ? 5 : 7,
      () => product(2),
      () => other(2),
    );
    const goMicros = median(pairs.map((pair) => microsOf(pair.other)));
    const goPerSecond = median(pairs.map((pair) => pair.other.rate));
    return [
      ratioResult(p1Go, pick(pairs, microsOf), undefined, {
        note: `Go ${goMicros.toFixed(0)} µs, ${goPerSecond.toFixed(0)}/s`,
        goMicros,
        goPerSecond,
      }),
    ];
  },
};

async function buildReference(bench: Bench): Promise<string | undefined> {
  const program = path.join(bench.directory, 'go-reference');
  for (const compiler of compilers) {
    try {
      await run(compiler, ['build', '-o', program, '.'], { cwd: path.join(root, 'scripts/bench/go') });
      return program;
    } catch {
      // The next one, or none.
    }
  }
  return undefined;
}

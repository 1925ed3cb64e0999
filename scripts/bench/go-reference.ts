import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { root, startChild, type Child } from './children.ts';
import type { Bench } from './types.ts';

const run = promisify(execFile);
/** The second is where the installer of Go puts it. */
const compilers = ['go', '/usr/local/go/bin/go'];

/** Starts the program of `go/main.go`. Undefined when Go is not installed, or its modules cannot be downloaded. */
export async function startGoReference(bench: Bench, targetsFile: string): Promise<Child | undefined> {
  const program = path.join(bench.directory, 'go-reference');
  for (const compiler of compilers) {
    try {
      await run(compiler, ['build', '-o', program, '.'], { cwd: path.join(root, 'scripts/bench/go') });
    } catch {
      // The next one, or none.
      continue;
    }
    return startChild(bench, program, [targetsFile, await bench.createDatabase('go_reference')]);
  }
  bench.say('  skipped: Go is not installed, or its modules cannot be downloaded');
  return undefined;
}

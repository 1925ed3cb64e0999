import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runOnTestPostgres } from './run-on-test-postgres.ts';

/**
 * Runs all tests on one temporary Postgres. With `--quick` it leaves out those that start a browser or the whole product. Other
 * arguments replace the list of test files and are passed to `node --test`.
 */
const args = process.argv.slice(2);
const isQuick = args[0] === '--quick';
const files = isQuick
  ? [...(await listQuickFiles()), ...args.slice(1)]
  : args.length > 0
    ? args
    : ['{contract,platform,server,web,scripts,test}/**/*.test.ts'];
// Three files at a time: many tests wait for a timer of the product, and two left a third of two cores idle.
await runOnTestPostgres(['--test', '--test-concurrency=3', ...files], {
  // Each test file is a process that compiles the same modules. The cache saves a sixth of the suite's CPU time.
  NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../node_modules/.cache/compile'),
});

async function listQuickFiles(): Promise<string[]> {
  const found: string[] = [];
  const cwd = path.join(import.meta.dirname, '..');
  for await (const file of glob('{contract,platform,server,web,scripts,test}/**/*.test.ts', { cwd })) {
    if (/^test\/(browser|e2e|fuzz|truth)\//.test(file)) continue;
    const source = await readFile(path.join(cwd, file), 'utf8');
    if (!/#test\/support\/(product|browser)\//.test(source)) found.push(file);
  }
  return found.sort();
}

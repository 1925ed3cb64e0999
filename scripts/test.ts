import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startTestPostgres } from '../test/support/database/test-postgres.ts';

/** Runs all tests on one temporary Postgres. Arguments replace the list of test files and are passed to `node --test`. */
const postgres = await startTestPostgres();
const args = process.argv.slice(2);
const files = args.length > 0 ? args : ['{contract,platform,server,web,scripts,test}/**/*.test.ts'];
const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    FORGEWATCH_TEST_DATABASE_URL: postgres.url,
    // Each test file is a process that compiles the same modules. The cache saves a sixth of the suite's CPU time.
    NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../node_modules/.cache/compile'),
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, 'exit')) as [number | null];
await postgres.stop();
process.exitCode = code ?? 1;

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startTestPostgres } from '../test/support/database/test-postgres.ts';

/**
 * Fuzzes the product for longer than the test suite does. `--minutes N` sets the time, `--seed S` repeats a run, and
 * `--family F --seed S --path P` repeats one case, as a finding reports.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    family: { type: 'string' },
    path: { type: 'string' },
  },
});
const { minutes, ...others } = values;
const args = [
  `--seconds=${Number(minutes) * 60}`,
  ...Object.entries(others).map(([name, value]) => `--${name}=${value}`),
];
const postgres = await startTestPostgres();
const child = spawn(process.execPath, ['test/fuzz/fuzz.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, FORGEWATCH_TEST_DATABASE_URL: postgres.url, FORGEWATCH_FUZZ: args.join(' ') },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, 'exit')) as [number | null];
await postgres.stop();
process.exitCode = code ?? 1;

import { parseArgs } from 'node:util';
import { runOnTestPostgres } from './run-on-test-postgres.ts';

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
await runOnTestPostgres(['test/fuzz/fuzz.test.ts'], { FORGEWATCH_FUZZ: args.join(' ') });

import { parseArgs } from 'node:util';
import { runOnTestPostgres } from './run-on-test-postgres.ts';

/**
 * Compares the product with the model of a forge's life for longer than the test suite does. `--minutes N` sets the time and
 * `--seed S` the first world, `--kind K` limits it to one kind. `--kind K --seed S` without a time repeats one world, as a finding reports;
 * with `--quick` without a search for the smallest one.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    kind: { type: 'string' },
    quick: { type: 'boolean' },
  },
});
const {
  kind,
  minutes = kind === undefined ? '10' : undefined,
  seed = String(Date.now() % 1_000_000),
} = values;
const args = [
  ...Object.entries({ kind, minutes, seed }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  ),
  ...(values.quick ? ['--quick'] : []),
];
await runOnTestPostgres(['test/truth/truth.test.ts'], { FORGEWATCH_TRUTH: args.join('\n') });

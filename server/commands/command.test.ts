import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '#platform/runtime/settings/config.ts';
import { helpOf, numberOption, parseOptions, UsageError } from './command.ts';
import { backupCommand } from './backup.ts';
import { deadLetterCommands } from './dead-letters.ts';
import { doctorCommand } from './doctor.ts';
import { integrationCreateCommand } from './integration-create.ts';
import { migrateCommand } from './migrate.ts';
import { recomputeMetricsCommand } from './recompute-metrics.ts';
import { restoreCommand } from './restore.ts';
import { serviceCommands } from './serve.ts';
import { simulateCommand } from './simulate.ts';

const config = () => loadConfig({});
const commands = [
  ...serviceCommands(config, new AbortController().signal),
  ...deadLetterCommands(config),
  ...[
    migrateCommand,
    doctorCommand,
    integrationCreateCommand,
    recomputeMetricsCommand,
    simulateCommand,
    backupCommand,
    restoreCommand,
  ].map((make) => make(config)),
];

test('unexpected arguments are wrong usage, and the help shows allowed ones', () => {
  const taking = commands.filter((command) => {
    try {
      return parseOptions(command, ['extra']).positionals.length === 1;
    } catch (error) {
      assert.ok(error instanceof UsageError && error.message.includes("'extra'"), command.name);
      return false;
    }
  });
  assert.deepEqual(
    taking.map((command) => helpOf(command).split(':')[0]),
    [
      'forgewatch dead-letters redrive [ID…]',
      'forgewatch dead-letters drop [ID…]',
      'forgewatch backup FILE',
      'forgewatch restore FILE',
    ],
  );
});

test('a number option accepts its range and names itself when it refuses', () => {
  const read = (n: string, min?: number) =>
    numberOption({ n }, 'n', { fallback: 5, max: 10, ...(min === undefined ? {} : { min }) });
  assert.equal(numberOption({}, 'n', { fallback: 5, max: 10 }), 5);
  assert.deepEqual([read('10'), read('0.5'), read('0', 0), read('10', 0)], [10, 0.5, 0, 10]);
  for (const wrong of ['0', '-1', '10.1', 'x', '', 'Infinity'])
    assert.throws(() => read(wrong), {
      constructor: UsageError,
      message: '--n takes a number above 0, at most 10',
    });
  assert.throws(() => read('-1', 0), /^Error: --n takes a number from 0 to 10$/);
  assert.throws(() => read('', 0), UsageError);
});

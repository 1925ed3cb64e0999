import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingCommands } from './commands.ts';

const command = (label: string, kind?: string) => ({
  key: label,
  label,
  ...(kind === undefined ? {} : { kind }),
  run: () => {},
});
const labels = (typed: string) =>
  matchingCommands(
    [command('Go to overview'), command('Overview of web', 'integration'), command('Go to settings')],
    typed,
  ).map(({ label }) => label);

test('without input all commands are listed in order', () => {
  assert.deepEqual(labels(' '), ['Go to overview', 'Overview of web', 'Go to settings']);
});

test('every typed word must match the label or kind, and matching prefixes come first', () => {
  assert.deepEqual(labels('overview'), ['Overview of web', 'Go to overview']);
  assert.deepEqual(labels('GO set'), ['Go to settings']);
  assert.deepEqual(labels('integration'), ['Overview of web']);
  assert.deepEqual(labels('nothing of this'), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, duration, isRed, makeTerminal, outcomeCell, type Terminal } from './terminal.ts';

function printed(print: (terminal: Terminal) => void, env: NodeJS.ProcessEnv, isTTY: boolean): string {
  let text = '';
  const write = (chunk: string): boolean => {
    text += chunk;
    return true;
  };
  print(makeTerminal(env, { isTTY, write } as never));
  return text;
}

const table = (terminal: Terminal): void =>
  terminal.table([
    [outcomeCell({ status: 'completed', conclusion: 'failure' }), { text: 'x' }],
    [{ text: 'ok' }],
  ]);

test('colours appear on a terminal only, and not with NO_COLOR', () => {
  const plain = 'failure  x\nok\n';
  assert.equal(printed(table, {}, false), plain);
  assert.equal(printed(table, { NO_COLOR: '1' }, true), plain);
  assert.equal(printed(table, { TERM: 'dumb' }, true), plain);
  assert.equal(printed(table, {}, true), '\u001b[31mfailure\u001b[0m  x\nok\n');
});

test('JSON contains no character that a terminal obeys', () => {
  const value = { title: 'a\u001b[31m\u009b31m\u202eb\u2028', isLast: true };
  const json = printed((terminal) => terminal.json(value), {}, true);
  assert.match(json, /^[\x20-\x7e]*\n$/);
  assert.deepEqual(JSON.parse(json), value);
});

test('a table contains no character that a terminal obeys, whatever type the server sent', () => {
  const rows = [[{ text: 'id\u001b[2J' }, { text: ['\u202e\u0007'] as unknown as string }, { text: 'x' }]];
  assert.equal(
    printed((terminal) => terminal.table(rows), {}, true),
    'id [2J    x\n',
  );
});

test('a cell is one visible line of bounded length', () => {
  assert.equal(cell('a\u001b[2Jb\nc'), 'a [2Jb c');
  assert.equal(cell('x'.repeat(100), 10), `${'x'.repeat(9)}…`);
  assert.equal(cell(null), '');
  assert.equal(cell('ab😀cd', 4), 'ab…', 'an emoji is never halved');
});

test('a conclusion that is named like a member of Object has a colour', () => {
  for (const conclusion of ['constructor', '__proto__', 'toString', 'unheard_of'])
    assert.equal(outcomeCell({ status: 'completed', conclusion }).colour, 'grey', conclusion);
});

test('a commit fails with every conclusion but success, skipped and neutral', () => {
  const red = (conclusion: string) => isRed({ status: 'completed', conclusion });
  assert.deepEqual(['failure', 'cancelled', 'timed_out', 'stale'].map(red), [true, true, true, true]);
  assert.deepEqual(['success', 'skipped', 'neutral'].map(red), [false, false, false]);
  assert.equal(isRed({ status: 'in_progress', conclusion: null }), false);
});

test('durations have two units at most', () => {
  assert.deepEqual([null, 400, 12_000, 187_000, 3_720_000].map(duration), [
    '',
    '0s',
    '12s',
    '3m 07s',
    '1h 02m',
  ]);
});

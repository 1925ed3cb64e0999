import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spansOf } from './spans.ts';

const sgr = (code: string, text: string): string => `\u001b[${code}m${text}\u001b[0m`;

test('spansOf keeps colours and bold text and drops all other sequences', () => {
  assert.deepEqual(
    spansOf(`${sgr('31', 'red')} plain ${sgr('1;32', 'green')}\u001b[2K\u001b]0;title\u0007`, []),
    [{ text: 'red', colour: 'red' }, { text: ' plain ' }, { text: 'green', colour: 'green', bold: true }],
  );
});

test('spansOf maps 256 and 16 million colours, backgrounds and dim text', () => {
  const colourOf = (code: string) => spansOf(sgr(code, 'x'), [])[0]?.colour;
  assert.equal(colourOf('38;5;196'), 'red');
  assert.equal(colourOf('38;2;10;200;20'), 'green');
  assert.equal(colourOf('97;41'), 'red');
  assert.equal(colourOf('2'), 'grey');
  assert.equal(colourOf('90'), 'grey');
  assert.equal(colourOf('37'), undefined);
});

test('spansOf masks a secret that colours divide', () => {
  const raw = `a ${sgr('31', 'sec')}${sgr('32', 'ret')} b`;
  assert.deepEqual(spansOf(raw, [{ from: 2, to: 8 }]), [
    { text: 'a ' },
    { text: '***', colour: 'red' },
    { text: ' b' },
  ]);
});

test('spansOf cuts a long line and merges too many colours', () => {
  assert.equal(spansOf('x'.repeat(5_000), [])[0]?.text.length, 2_001);
  const many = Array.from({ length: 500 }, (_, index) => sgr(String(31 + (index % 2)), 'x')).join('');
  assert.equal(spansOf(many, []).length, 60);
});

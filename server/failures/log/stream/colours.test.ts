import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { applySgr, newPen, styleOf, type Style } from './colours.ts';

/** The style of text after these escape sequences. */
function after(...sequences: string[]): Style {
  const pen = newPen();
  for (const parameters of sequences) applySgr(pen, parameters);
  return styleOf(pen);
}

test('the named colours have their names, in both intensities', () => {
  const names = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'];
  for (const [index, colour] of names.entries())
    for (const base of [31, 91, 41, 101]) assert.deepEqual(after(String(base + index)), { colour });
});

test('black and white are the colours of the page, and bright black is grey', () => {
  for (const code of ['30', '37', '97', '40', '47', '107', '39', '49'])
    assert.deepEqual(after(code), {}, code);
  assert.deepEqual(after('90'), { colour: 'grey' });
  assert.deepEqual(after('100'), { colour: 'grey' });
});

test('a background colours the text unless the text has a colour of its own', () => {
  assert.deepEqual(after('97;41'), { colour: 'red' });
  assert.deepEqual(after('32;41'), { colour: 'green' });
  assert.deepEqual(after('41', '49'), {});
  assert.deepEqual(after('41', '100'), { colour: 'grey' });
});

test('bold and dim are independent of colours and end together', () => {
  assert.deepEqual(after('1'), { bold: true });
  assert.deepEqual(after('1;31'), { colour: 'red', bold: true });
  assert.deepEqual(after('2'), { colour: 'grey' });
  assert.deepEqual(after('1;2', '22'), {});
  assert.deepEqual(after('1;31', '39'), { bold: true });
});

test('a reset ends everything, also without parameters', () => {
  for (const reset of ['0', '', '00']) assert.deepEqual(after('1;2;31;42', reset), {}, reset);
  assert.deepEqual(after('0;32'), { colour: 'green' });
  assert.deepEqual(after('32;0'), {});
});

test('256 colours: names, the cube and greys', () => {
  const indexed = (index: number) => after(`38;5;${index}`).colour;
  assert.deepEqual([1, 9, 2, 10, 8, 0, 7, 15].map(indexed), [
    'red',
    'red',
    'green',
    'green',
    'grey',
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual([196, 46, 21, 226, 201, 51].map(indexed), [
    'red',
    'green',
    'blue',
    'yellow',
    'magenta',
    'cyan',
  ]);
  assert.deepEqual([232, 244, 255].map(indexed), ['grey', 'grey', 'grey']);
});

test('16 million colours are named after the parts that stand out', () => {
  const rgb = (red: number, green: number, blue: number) => after(`38;2;${red};${green};${blue}`).colour;
  assert.equal(rgb(220, 50, 47), 'red');
  assert.equal(rgb(133, 153, 0), 'yellow');
  assert.equal(rgb(38, 139, 210), 'cyan');
  assert.equal(rgb(128, 128, 128), 'grey');
  assert.equal(rgb(255, 255, 255), undefined);
  assert.equal(rgb(0, 0, 0), undefined);
});

test('the form with colons means the same, with and without a colour space', () => {
  assert.deepEqual(after('38:2:255:0:0'), { colour: 'red' });
  assert.deepEqual(after('38:2::255:0:0'), { colour: 'red' });
  assert.deepEqual(after('38:2:1:0:255:0'), { colour: 'green' });
  assert.deepEqual(after('48:2::0:0:255'), { colour: 'blue' });
  assert.deepEqual(after('38:5:196'), { colour: 'red' });
  assert.deepEqual(after('1;38:2::255:0:0;22'), { colour: 'red' });
});

test('text after a colour still counts', () => {
  assert.deepEqual(after('38;5;196;1'), { colour: 'red', bold: true });
  assert.deepEqual(after('38;2;255;0;0;1'), { colour: 'red', bold: true });
  assert.deepEqual(after('48;5;21;38;5;196'), { colour: 'red' });
});

test('unknown and damaged parameters change nothing and break nothing', () => {
  for (const parameters of ['3', '4:3', '7', '53', '999', '38', '38;5', '38;2', '38;5;999', '-1', '31x', 'x'])
    assert.doesNotThrow(() => after('1', parameters), parameters);
  assert.deepEqual(after('31', '3;4;7;9;21'), { colour: 'red' });
});

test('any parameters end in a style that the page knows', () => {
  const colours = new Set([undefined, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'grey']);
  const parameters = fc.string({ unit: fc.constantFrom(...'0123456789;:'), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(parameters, { maxLength: 4 }), (sequences) => {
      assert.ok(colours.has(after(...sequences).colour));
      assert.deepEqual(after(...sequences, '0'), {});
    }),
    { numRuns: 1000 },
  );
});

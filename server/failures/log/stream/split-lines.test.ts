import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { linesOf as linesOfText } from './log-line.ts';
import { LineSplitter } from './split-lines.ts';

/** The lines of a log that arrives in these blocks. */
function linesOf(blocks: readonly Buffer[]): string[] {
  const splitter = new LineSplitter();
  const texts = [...blocks.flatMap((block) => [...splitter.add(block)]), ...splitter.end()];
  return texts.flatMap((text) => linesOfText(text).map(({ raw }) => raw));
}

const bytes = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));

test('lines end at a line feed, with or without a carriage return', () => {
  assert.deepEqual(linesOf(bytes('one\ntwo\r\n\nfour')), ['one', 'two', '', 'four']);
  assert.deepEqual(linesOf(bytes('')), []);
  assert.deepEqual(linesOf(bytes('\n')), ['']);
  assert.deepEqual(linesOf(bytes('last\r')), ['last']);
});

test('a line continues in the next block, also between the bytes of a character', () => {
  const [whole] = bytes('übergröße 😀\n');
  for (let at = 0; at <= whole!.length; at++)
    assert.deepEqual(linesOf([whole!.subarray(0, at), whole!.subarray(at)]), ['übergröße 😀']);
});

test('blocks make no difference', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r', ' '), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 }), (log, sizes) => {
      const whole = Buffer.from(log);
      const blocks: Buffer[] = [];
      let from = 0;
      for (const size of [...sizes, whole.length]) {
        blocks.push(whole.subarray(from, from + size));
        from += size;
      }
      assert.deepEqual(linesOf(blocks), linesOf([whole]));
    }),
  );
});

test('a line of many megabytes is cut, and the next line is whole', () => {
  const long = Buffer.alloc(1024 * 1024, 'x');
  const lines = linesOf([long, long, Buffer.from('\nnext\n'), long]);
  assert.deepEqual(
    lines.map((line) => line.length),
    [16_384, 4, 16_384],
  );
  assert.equal(lines[1], 'next');
});

test('a long line within one block is cut too', () => {
  const [first, second] = linesOf(bytes(`${'x'.repeat(20_000)}\nnext`));
  assert.equal(first?.length, 16_384);
  assert.equal(second, 'next');
});

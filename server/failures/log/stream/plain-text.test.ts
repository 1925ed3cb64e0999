import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '#test/support/waiting/loop-watch.ts';
import { plainText } from './plain-text.ts';

/** Texts that repeat one part. */
const repeated: Record<string, string> = {
  'starts of sequences': '\u001b',
  'starts of colours': '\u001b[',
  'colours without an end': '\u001b[0;1;',
  'sequences with intermediate characters': '\u001b[?1 ',
  'titles without an end': '\u001b]0;',
  'titles that end at once': '\u001b]\u001b\\',
  'commands without an end': '\u001bP^_',
  'single-byte starts': '\u009b1;',
  'designations without an end': '\u001b(((',
  'hidden characters': '\u200b\u0000',
  'tag characters': '\u{e0041}',
  'halves of characters': '\udb40',
  'colours and hidden characters': '\u001b[31mx\u200b',
};

/** Texts that are one sequence: its start, then one part many times. */
const endless: Record<string, readonly [start: string, part: string]> = {
  'parameters of a colour': ['\u001b[', '0;'],
  'parameters and intermediate characters': ['\u001b[0', ' '],
  'a title': ['\u001b]', 'y'],
  'a command': ['\u001bP', 'z'],
  'a line feed in a title': ['\u001b]', 'y\n'],
};

const fill = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length));
const shapes: Record<string, (length: number) => string> = {
  ...Object.fromEntries(
    Object.entries(repeated).map(([name, part]) => [name, (length: number) => fill(part, length)]),
  ),
  ...Object.fromEntries(
    Object.entries(endless).map(([name, [start, part]]) => [
      name,
      (length: number) => start + fill(part, length),
    ]),
  ),
};

/** The smallest of some tries: the collector of garbage shares the thread. */
function costOf(text: string): number {
  const costs = Array.from({ length: 3 }, () => {
    const started = cpuMs();
    plainText(text);
    return cpuMs() - started;
  });
  return Math.min(...costs);
}

const shortest = 16 * 1024;
const doublings = 5;
/** The clock does not tell less apart. */
const leastMs = 1;

for (const [name, textOf] of Object.entries(shapes))
  test(`plainText takes time in proportion to the length of the text: ${name}`, () => {
    const cost = Math.max(leastMs, costOf(textOf(shortest)));
    for (let doubled = 1; doubled <= doublings; doubled++) {
      const growth = 2 ** doubled;
      const longer = costOf(textOf(shortest * growth));
      // If the time grows with the square of the length, it soon passes this.
      assert.ok(
        longer < cost * growth * 4,
        `${cost.toFixed(1)} ms, ${longer.toFixed(1)} ms at ${growth} times`,
      );
    }
  });

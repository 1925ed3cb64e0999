import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { matchesGlob } from './glob.ts';

const paths: [pattern: string, text: string, fits: boolean][] = [
  ['main', 'main', true],
  ['main', 'Main', true],
  ['main', 'mainline', false],
  ['main', 'the-main', false],
  ['*', 'main', true],
  ['*', 'release/1', false],
  ['**', 'release/1/2', true],
  ['release/*', 'release/1', true],
  ['release/*', 'release/1/2', false],
  ['release/**', 'release/1/2', true],
  ['**/fix', 'a/b/fix', true],
  ['acme/*', 'acme/.github', true],
  ['v?.?', 'v1.2', true],
  ['v?', 'v/', false],
  ['v?', 'v', false],
  ['a*c', 'ac', true],
  ['a*b*c', 'aXbYbc', true],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['{a,b}', 'a', false],
  ['', 'a', false],
  ['***', 'a/b', true],
];

test('patterns match whole names, and only ** crosses a slash', () => {
  for (const [pattern, text, fits] of paths)
    assert.equal(matchesGlob(text, pattern, 'border'), fits, `${pattern} over ${text}`);
});

test('a slash is an ordinary character in names', () => {
  assert.equal(matchesGlob('CI / build', 'CI*', 'character'), true);
  assert.equal(matchesGlob('a/b', 'a?b', 'character'), true);
});

test('a pattern matches the same texts as its regular expression', () => {
  const letters = (all: string) => fc.string({ unit: fc.constantFrom(...all), maxLength: 8 });
  fc.assert(
    fc.property(letters('ab/'), letters('ab/**?'), fc.boolean(), (text, pattern, hasBorders) => {
      const one = hasBorders ? '[^/]' : '.';
      const parts = pattern.replaceAll(/\*{2,}|\*|\?/g, (part) =>
        part === '?' ? one : part === '*' ? `${one}*` : '.*',
      );
      const expected = new RegExp(`^${parts}$`).test(text);
      assert.equal(matchesGlob(text, pattern, hasBorders ? 'border' : 'character'), expected);
    }),
    { numRuns: 2000 },
  );
});

test('every pattern is matched in bounded time', () => {
  const before = process.threadCpuUsage();
  assert.equal(matchesGlob('a'.repeat(5000), `${'*a'.repeat(100)}b`, 'border'), false);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 2_000_000, `${user + system} µs of CPU time`);
});

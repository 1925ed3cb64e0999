import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMatches, matchText, mostMatches, stepThrough } from './find-matches.ts';

const found = (text: string, words: string): string[] =>
  findMatches(text, words).map(({ start, end }) => text.slice(start, end));

test('matches are found case-insensitively with their positions', () => {
  assert.deepEqual(findMatches('Main, main', 'MAIN'), [
    { start: 0, end: 4 },
    { start: 6, end: 10 },
  ]);
  assert.deepEqual(found('İstanbul İstanbul', 'istanbul'), []);
  assert.deepEqual(found('İ before: main', 'Main'), ['main']);
  assert.deepEqual(findMatches('main', ''), []);
});

test('special characters of regular expressions are literal', () => {
  for (const words of ['.*', '[x]', '{"a": "b\\\\c"}', 'a|b', '(', '$^', '/x/', 'a-b'])
    assert.deepEqual(found(`a b ${words} c`, words), [words], words);
});

test('the number of matches is limited', () => {
  assert.equal(findMatches('a'.repeat(mostMatches + 5), 'a').length, mostMatches);
  assert.equal(matchText(0, 0), 'No match');
  assert.equal(matchText(1, 12), '2 of 12');
  assert.equal(matchText(0, mostMatches), '1 of 5,000 or more');
});

test('next and previous wrap around', () => {
  assert.deepEqual([stepThrough(1, 1, 3), stepThrough(2, 1, 3), stepThrough(0, -1, 3)], [2, 0, 2]);
  assert.equal(stepThrough(0, 1, 0), 0);
});

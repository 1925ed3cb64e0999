import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goKeys } from './use-go-keys.ts';

/** The letters that follow `g`, for keys with the times at which they are pressed. */
function lettersOf(...presses: [key: string, at: number][]): string[] {
  const secondOf = goKeys();
  return presses.flatMap(([key, at]) => secondOf(key, at) ?? []);
}

test('a letter counts soon after g', () => {
  assert.deepEqual(lettersOf(['g', 0], ['w', 300]), ['w']);
  assert.deepEqual(lettersOf(['g', 0], ['w', 1199]), ['w']);
});

test('a letter alone or too late does not count', () => {
  assert.deepEqual(lettersOf(['w', 0]), []);
  assert.deepEqual(lettersOf(['g', 0], ['w', 1200]), []);
  assert.deepEqual(lettersOf(['g', 0], ['w', 60_000]), []);
});

test('g counts once', () => {
  assert.deepEqual(lettersOf(['g', 0], ['w', 100], ['m', 200]), ['w']);
  assert.deepEqual(lettersOf(['g', 0], ['x', 100], ['w', 200]), ['x']);
});

test('g after g is a letter and begins no other pair', () => {
  assert.deepEqual(lettersOf(['g', 0], ['g', 100], ['w', 200]), ['g']);
});

test('a new g after a pause begins again', () => {
  assert.deepEqual(lettersOf(['g', 0], ['g', 5000], ['w', 5100]), ['w']);
});

test('the first key of a page may come at time zero', () => {
  assert.deepEqual(lettersOf(['g', 0], ['e', 0]), ['e']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fingerprint, legOf } from './fingerprint.ts';

const failure = {
  workflow: 'CI',
  jobName: 'test (20, ubuntu-latest)',
  stepName: 'Run npm test',
  errorLine: 'cart › sums 2 prices: expected 17 to be 18',
  subject: 'cart › sums 2 prices',
};

test('fingerprint ignores the values of the matrix and numbers', () => {
  const errorLine = 'cart › sums 2 prices: expected 1 to be 2';
  const other = { ...failure, jobName: 'test (22, windows-latest)', errorLine };
  assert.equal(fingerprint(other), fingerprint(failure));
});

test('fingerprint differs for another job, step, workflow, text or subject, also if only a number of the subject differs', () => {
  const others = [
    { ...failure, workflow: 'Nightly' },
    { ...failure, jobName: 'lint' },
    { ...failure, stepName: null },
    { ...failure, errorLine: 'cart › sums 2 prices: expected 17 to equal 18' },
    { ...failure, errorLine: 'cart › sums 3 prices: expected 17 to be 18', subject: 'cart › sums 3 prices' },
    { ...failure, subject: null },
  ];
  assert.equal(new Set([failure, ...others].map(fingerprint)).size, 7);
});

test('fingerprint ignores where a job keeps its files, lines and durations of the subject', () => {
  const prints = [
    '/home/runner/_work/shop/shop/src/cart.ts:12:5',
    '/builds/acme/shop/src/cart.ts:7:1',
    '/__w/shop/shop/src/cart.ts(8,2)',
    'src/cart.ts',
    'src/cart.ts (12 ms)',
  ].map((subject) => fingerprint({ ...failure, subject, errorLine: `${subject}: expected` }));
  assert.equal(new Set(prints).size, 1);
  const other = { ...failure, subject: 'lib/cart.ts', errorLine: 'lib/cart.ts: expected' };
  assert.notEqual(fingerprint(other), prints[0]);
});

test('legOf leaves out the values of each matrix', () => {
  for (const [name, leg] of [
    ['build', 'build'],
    ['build (20)', 'build'],
    ['build (20, linux / amd64)', 'build'],
    ['build (a (b), c)', 'build'],
    ['call (20) / build (linux)', 'call / build'],
    ['call (20) / build', 'call / build'],
    ['build (the old way) of all', 'build (the old way) of all'],
    ['test on ubuntu-22.04', 'test on <os>'],
    ['test on windows-latest', 'test on <os>'],
    ['node 18.x', 'node #'],
    ['node 20', 'node #'],
    ['build / macos-14 / 3.12', 'build / <os> / #'],
    [`build (${'x'.repeat(200)}`.slice(0, 100), 'build'],
    [`build (${'x'.repeat(90)}...`, 'build'],
  ] as const)
    assert.equal(legOf(name), leg, name);
});

test('all legs of a matrix have one name, whatever their values are and wherever the forge cuts them', () => {
  const value = fc.stringMatching(/^[\w./@-][\w ./@-]{0,60}$/);
  const values = fc.array(value, { minLength: 1, maxLength: 6 });
  const base = fc.stringMatching(/^[a-z]{1,12}(?: [a-z]{1,12})?$/);
  const cut = (name: string, isMarked: boolean): string => {
    if (name.length <= 100) return name;
    return isMarked ? `${name.slice(0, 97)}...` : name.slice(0, 100);
  };
  fc.assert(
    fc.property(base, values, values, fc.boolean(), (name, one, other, isMarked) => {
      const leg = (each: string[]) => legOf(cut(`${name} (${each.join(', ')})`, isMarked));
      assert.equal(leg(one), leg(other));
    }),
  );
});

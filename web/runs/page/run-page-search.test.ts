import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readRunPageSearch } from './run-page-search.ts';

test('a link to an attempt and a job opens them', () => {
  assert.deepEqual(readRunPageSearch({ attempt: 2, job: '4711' }), { attempt: 2, job: 4711 });
});

test('parameters that are no whole positive numbers are dropped', () => {
  for (const value of ['0', -1, 1.5, 'latest', '', null, {}, { toString: 0 }, [7], 2 ** 60])
    assert.deepEqual(readRunPageSearch({ attempt: value, job: value }), {});
});

test('a search that was read is read the same again', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('attempt', 'job', 'other'), fc.jsonValue()), (search) => {
      const once = readRunPageSearch(search);
      assert.deepEqual(readRunPageSearch({ ...once }), once);
    }),
  );
});

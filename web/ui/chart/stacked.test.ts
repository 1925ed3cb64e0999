import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { stacked } from './stacked.ts';

test('each series includes those after it', () => {
  const series = [{ values: [1, 2] }, { values: [10, null] }, { values: [100, 200] }];
  assert.deepEqual(stacked(series), [
    [111, 202],
    [110, 200],
    [100, 200],
  ]);
  assert.deepEqual(stacked([]), []);
  assert.deepEqual(stacked([{ values: [] }]), [[]]);
});

test('the first is the total, and no bar covers a taller one', () => {
  const length = 4;
  const values = fc.array(fc.option(fc.nat(100)), { minLength: length, maxLength: length });
  fc.assert(
    fc.property(fc.array(fc.record({ values }), { minLength: 1, maxLength: 5 }), (series) => {
      const sums = stacked(series);
      for (let at = 0; at < length; at++) {
        const total = series.reduce((sum, each) => sum + (each.values[at] ?? 0), 0);
        assert.equal(sums[0]?.[at], total);
        for (const [index, each] of sums.entries()) assert.ok(each[at]! >= (sums[index + 1]?.[at] ?? 0));
      }
    }),
  );
});

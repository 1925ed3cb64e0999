import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { nextSort, sortRows, type SortValue } from './sort-rows.ts';

const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 5 }));

test('rows are sorted by value, equal ones keep their order, and unknown ones are last in both directions', () => {
  fc.assert(
    fc.property(fc.array(value), fc.boolean(), (values, isDescending) => {
      const rows = values.map((each, index) => ({ each, index }));
      const sorted = sortRows(rows, ({ each }) => each, isDescending);
      assert.deepEqual(
        sorted.map(({ index }) => index).toSorted((a, b) => a - b),
        rows.map(({ index }) => index),
      );
      for (const [place, row] of sorted.entries()) {
        const next = sorted[place + 1];
        if (next === undefined || row.each === null) continue;
        if (next.each === null) continue;
        assert.ok(isDescending ? row.each >= next.each : row.each <= next.each);
        if (row.each === next.each) assert.ok(row.index < next.index);
      }
      const known = sorted.findIndex(({ each }) => each === null);
      if (known >= 0) assert.ok(sorted.slice(known).every(({ each }) => each === null));
    }),
  );
});

test('names are sorted as people read them: without case, and numbers by their value', () => {
  const names: SortValue[] = ['test 10', 'Test 9', 'build'];
  assert.deepEqual(
    sortRows(names, (name) => name, false),
    ['build', 'Test 9', 'test 10'],
  );
});

test('a column is sorted in its usual direction, then in the other, then not at all', () => {
  const first = nextSort(undefined, 'runs', true);
  assert.deepEqual(first, { key: 'runs', isDescending: true });
  const second = nextSort(first, 'runs', true);
  assert.deepEqual(second, { key: 'runs', isDescending: false });
  assert.equal(nextSort(second, 'runs', true), undefined);
  assert.deepEqual(nextSort(first, 'name', false), { key: 'name', isDescending: false });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { LogSection } from '#contract/failures/job-log.ts';
import { shownLines } from './log-rows.ts';

const sections: LogSection[] = [
  { kind: 'step', title: 'a', from: 2, to: 6 },
  { kind: 'group', title: 'b', from: 3, to: 4 },
  { kind: 'step', title: 'c', from: 7, to: 9 },
];

test('the first line of a folded section stands for its lines', () => {
  const shown = shownLines(10, sections, new Set([3, 7]));
  assert.equal(shown.count, 7);
  assert.deepEqual(
    Array.from({ length: shown.count }, (_, row) => shown.lineAt(row)),
    [1, 2, 3, 5, 6, 7, 10],
  );
  assert.deepEqual([shown.rowOf(4), shown.rowOf(9), shown.rowOf(10)], [2, 5, 6]);
});

test('rows and lines belong to each other, whatever is folded', () => {
  fc.assert(
    fc.property(fc.subarray([2, 3, 7]), (folded) => {
      const shown = shownLines(10, sections, new Set(folded));
      for (let row = 0; row < shown.count; row++) assert.equal(shown.rowOf(shown.lineAt(row)), row);
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compareRuns, positionAfter, positionOf, type RunKey } from './run-order.ts';

const key: fc.Arbitrary<RunKey> = fc.record({
  createdAt: fc
    .integer({ min: 0, max: 3 })
    .map((day) => new Date(Date.UTC(2026, 10, 20 + day)).toISOString()),
  runId: fc.integer({ min: 1, max: 6 }),
});
const sorted = fc
  .uniqueArray(key, { selector: ({ createdAt, runId }) => `${createdAt} ${runId}`, maxLength: 20 })
  .map((keys) => keys.toSorted(compareRuns));

test('runs are listed newest first, and of the same time the higher id first', () => {
  fc.assert(
    fc.property(sorted, (runs) => {
      for (const [index, run] of runs.entries()) {
        const next = runs[index + 1];
        if (next === undefined) continue;
        assert.ok(
          run.createdAt > next.createdAt || (run.createdAt === next.createdAt && run.runId > next.runId),
        );
      }
    }),
  );
});

test('the position of a run is behind all newer ones and before all others', () => {
  fc.assert(
    fc.property(sorted, key, (runs, wanted) => {
      assert.equal(positionOf(runs, wanted), runs.filter((run) => compareRuns(run, wanted) < 0).length);
    }),
  );
});

test('the next page begins after the last run of the page, even when that run has disappeared', () => {
  fc.assert(
    fc.property(sorted, key, (runs, last) => {
      assert.equal(positionAfter(runs, last), runs.filter((run) => compareRuns(run, last) <= 0).length);
    }),
  );
  assert.equal(positionAfter([], undefined), 0);
});

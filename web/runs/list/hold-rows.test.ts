import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { someRun } from '#test/support/data/some-run.ts';
import { holdRows } from './hold-rows.ts';
import { compareRuns } from './run-order.ts';

const runAt = (runId: number, facts: Partial<WorkflowRun> = {}): WorkflowRun =>
  someRun({ runId, createdAt: new Date(Date.UTC(2026, 10, 20) + runId * 1000).toISOString(), ...facts });
const listOf = (ids: readonly number[]): WorkflowRun[] =>
  ids.map((id) => runAt(id)).toSorted((a, b) => compareRuns(a, b));
const idsOf = (runs: readonly WorkflowRun[]): number[] => runs.map(({ runId }) => runId);

test('new rows wait, changed rows change in place, and older rows follow', () => {
  const failed = runAt(5, { conclusion: 'failure' });
  const held = holdRows(listOf([7, 5, 3]), [
    runAt(9),
    runAt(8),
    runAt(7),
    runAt(6),
    failed,
    runAt(3),
    runAt(2),
  ]);
  assert.deepEqual(idsOf(held.rows), [7, 5, 3, 2]);
  assert.equal(held.rows[1], failed);
  assert.equal(held.heldBack, 3);
});

test('a row that left the list stays in its place', () => {
  const held = holdRows(listOf([7, 5, 3]), listOf([7, 3]));
  assert.deepEqual(idsOf(held.rows), [7, 5, 3]);
  assert.deepEqual([...held.left], [5]);
});

test('a run whose creation time was corrected appears once', () => {
  const moved = runAt(7, { createdAt: '2026-11-01T00:00:00.000Z' });
  assert.deepEqual(idsOf(holdRows(listOf([7, 5]), [runAt(5), moved]).rows), [7, 5]);
});

test('whatever enters and leaves, the shown rows keep their places and nothing is lost', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 30 }));
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const [shown, current] = [listOf(before), listOf(after)];
      const held = holdRows(shown, current);
      assert.deepEqual(idsOf(held.rows).slice(0, shown.length), idsOf(shown));
      assert.equal(new Set(idsOf(held.rows)).size, held.rows.length);
      const known = new Set(idsOf(held.rows));
      assert.equal(after.filter((id) => !known.has(id)).length, held.heldBack);
    }),
  );
});

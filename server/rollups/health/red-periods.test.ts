import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '#platform/runtime/time-units.ts';
import { isRevert, overlapMs, redPeriodsOf, type Result } from './red-periods.ts';

const result = (runId: number, day: number, isRed: boolean, more: Partial<Result> = {}): Result => ({
  repository: 'acme/site',
  workflow: 'CI',
  branch: 'main',
  runId,
  attempt: 1,
  createdAt: day * dayMs,
  completedAt: day * dayMs,
  isRed,
  headSha: `sha ${runId}`,
  message: null,
  ...more,
});

const shown = (results: Result[], endDay: number) =>
  redPeriodsOf(results, endDay * dayMs).map(({ since, until, endedBy }) => [
    since / dayMs,
    until && until / dayMs,
    endedBy,
  ]);

test('a workflow without a result for 30 days is not red any more, and may become red again', () => {
  const results = [result(1, 1, true), result(2, 20, true), result(3, 60, true), result(4, 61, false)];
  assert.deepEqual(shown(results, 70), [
    [1, 50, 'stopped'],
    [60, 61, 'commit'],
  ]);
  assert.deepEqual(shown([result(1, 1, true)], 30), [[1, null, null]]);
  assert.deepEqual(shown([result(1, 1, true)], 40), [[1, 31, 'stopped']]);
  assert.deepEqual(shown([result(1, 1, true), result(2, 40, false)], 50), [[1, 31, 'stopped']]);
});

test('periods of several workflows merge, and the last one to end says how', () => {
  const lint = { workflow: 'Lint' };
  const results = [
    result(1, 1, true),
    result(2, 2, true, lint),
    result(3, 3, false),
    result(4, 5, false, { ...lint, headSha: 'sha 2' }),
    result(5, 7, true),
  ];
  const [first, second] = redPeriodsOf(results, 9 * dayMs);
  assert.deepEqual(shown(results, 9), [
    [1, 5, 'rerun'],
    [7, null, null],
  ]);
  assert.deepEqual([...first!.workflows], ['CI', 'Lint']);
  assert.deepEqual([first!.first.runId, first!.last?.runId], [1, 4]);
  assert.equal(overlapMs(first!, 0, 3 * dayMs), 2 * dayMs);
  assert.equal(overlapMs(second!, 8 * dayMs, 9 * dayMs), dayMs);
});

test('messages that revert a commit are recognized', () => {
  for (const message of [
    'Revert "Add a discount"\n\nThis reverts commit 0a1b2c3.',
    'Revert "Add a discount" (#12)',
    'Merge pull request #12 from acme/revert-11-topic\n\nRevert "Add a discount"',
    'revert: feat: add a discount',
    'revert(cart)!: add a discount',
    'Take it back\n\nThis reverts commit 0a1b2c3.',
  ])
    assert.ok(isRevert(message), message);
  for (const message of ['Revert the order of rows', 'Add "Revert" button', 'Do not revert: it works', null])
    assert.ok(!isRevert(message), String(message));
});

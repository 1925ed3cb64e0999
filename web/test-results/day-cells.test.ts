import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestDay } from '#contract/tests/tests.ts';
import { dayCells } from './day-cells.ts';
import { meanDuration } from './mean-duration.ts';

const now = Date.parse('2026-11-27T00:10:00Z');
const onDay = (day: string, facts: Partial<TestDay> = {}): TestDay => ({
  day,
  onDefaultBranch: true,
  passes: 0,
  failures: 0,
  flakes: 0,
  skips: 0,
  durationMs: 0,
  ...facts,
});

test('a day shows its worst result, and a failure that passed on the same commit is none', () => {
  const days = [
    onDay('2026-11-24', { passes: 3 }),
    onDay('2026-11-25', { passes: 3, failures: 2, flakes: 2 }),
    onDay('2026-11-26', { passes: 3, failures: 2, flakes: 1 }),
    onDay('2026-11-27', { failures: 5, onDefaultBranch: false }),
  ];
  const cells = dayCells(days, true, now);
  assert.equal(cells.length, 90);
  assert.deepEqual(
    cells.slice(-5).map(({ day, result }) => [day, result]),
    [
      ['2026-11-23', 'none'],
      ['2026-11-24', 'passed'],
      ['2026-11-25', 'flaky'],
      ['2026-11-26', 'failed'],
      ['2026-11-27', 'none'],
    ],
  );
  assert.equal(dayCells(days, false, now).at(-1)?.result, 'failed');
});

test('the average duration is that of the passes of the last days', () => {
  const days = [
    onDay('2026-11-01', { passes: 1, durationMs: 9000 }),
    onDay('2026-11-14', { passes: 1, durationMs: 1000 }),
    onDay('2026-11-27', { passes: 2, failures: 1, durationMs: 1000 }),
  ];
  assert.equal(meanDuration(days, 14, now), 2000 / 3);
  assert.equal(meanDuration(days, 1, now), 1000 / 2);
  assert.equal(meanDuration([], 14, now), null);
});

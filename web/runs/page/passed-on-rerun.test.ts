import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunAttempt } from '#contract/runs/runs.ts';
import { passedOnRerun } from './passed-on-rerun.ts';

const attempts = (...conclusions: (string | null)[]): RunAttempt[] =>
  conclusions.map(
    (conclusion, index) =>
      ({
        attempt: index + 1,
        conclusion,
        status: conclusion === null ? 'in_progress' : 'completed',
      }) as RunAttempt,
  );

test('a run that failed and then passed names both attempts', () => {
  assert.deepEqual(passedOnRerun(attempts('failure', 'success')), { failed: 1, passed: 2 });
  assert.deepEqual(passedOnRerun(attempts('failure', 'timed_out', 'cancelled', 'success')), {
    failed: 2,
    passed: 4,
  });
  assert.deepEqual(passedOnRerun(attempts('failure', 'success', null)), { failed: 1, passed: 2 });
});

test('a run that failed last, or never failed, does not', () => {
  for (const conclusions of [
    ['success', 'failure'],
    ['failure', 'failure'],
    ['cancelled', 'success'],
    ['failure', null],
  ])
    assert.equal(passedOnRerun(attempts(...conclusions)), undefined, conclusions.join());
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOf } from './run-end.ts';

test('each conclusion is passed, failed or neither', () => {
  const cases: Record<string, string> = {
    success: 'passed',
    failure: 'failed',
    timed_out: 'failed',
    startup_failure: 'failed',
    action_required: 'failed',
    cancelled: 'neither',
    skipped: 'neither',
    neutral: 'neither',
    stale: 'neither',
    some_new_word: 'neither',
    constructor: 'neither',
  };
  for (const [conclusion, end] of Object.entries(cases))
    assert.equal(endOf({ status: 'completed', conclusion }), end, conclusion);
  assert.equal(endOf({ status: 'completed', conclusion: null }), 'neither');
});

test('a run that is not completed is open, whatever its conclusion', () => {
  for (const status of ['queued', 'waiting', 'in_progress', 'requested', 'some_new_status'])
    for (const conclusion of [null, 'failure', 'success'])
      assert.equal(endOf({ status, conclusion }), 'open');
});

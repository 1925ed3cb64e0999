import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckedRun } from './check-store.ts';
import { summarizeChecks } from './summarize-checks.ts';

/** Runs of different workflows with these conclusions; null is in progress. */
const runsWith = (...conclusions: (string | null)[]): CheckedRun[] =>
  conclusions.map((conclusion, index) => ({
    workflowPath: null,
    workflowName: `Workflow ${index}`,
    event: 'push',
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    errorLine: null,
  }));

test('a cancelled check needs no action, and the state says the most urgent thing', () => {
  const cases: [string, (string | null)[]][] = [
    ['none', []],
    ['none', ['skipped', 'neutral', 'stale']],
    ['passed', ['success', 'skipped']],
    ['running', ['success', null]],
    ['cancelled', ['success', null, 'cancelled']],
    ['action_required', ['cancelled', 'action_required', 'success']],
    ['failed', ['action_required', 'timed_out', 'cancelled']],
  ];
  for (const [state, conclusions] of cases)
    assert.equal(summarizeChecks(runsWith(...conclusions)).state, state, conclusions.join());
});

test('each check is counted once', () => {
  const all = [null, 'success', 'failure', 'startup_failure', 'cancelled', 'action_required', 'skipped'];
  assert.deepEqual(summarizeChecks(runsWith(...all)), {
    state: 'failed',
    total: 7,
    failed: 2,
    actionRequired: 1,
    cancelled: 1,
    running: 1,
    passed: 1,
    errorLine: null,
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { branchState } from './branch-state.ts';

const results: Record<string, Pick<WorkflowRun, 'status' | 'conclusion'>> = {
  p: { status: 'completed', conclusion: 'success' },
  f: { status: 'completed', conclusion: 'failure' },
  c: { status: 'completed', conclusion: 'cancelled' },
  o: { status: 'in_progress', conclusion: null },
};

/** One letter for each run, the newest first; then dots when older ones exist. */
function stateOf(text: string) {
  const letters = text.replace('…', '');
  const runs = [...letters].map((letter, index) => ({ ...results[letter], runId: index + 1 }) as WorkflowRun);
  const state = branchState({ items: runs, nextCursor: letters === text ? null : 'older' });
  return state && [state.end, state.newest.runId, state.first.runId, state.runs, state.isStartKnown];
}

test('the state is that of the newest run that passed or failed, since the last one with the other result', () => {
  assert.deepEqual(stateOf('ocffcfpf'), ['failed', 3, 6, 3, true]);
  assert.deepEqual(stateOf('pcp…'), ['passed', 1, 3, 2, false]);
  assert.deepEqual(stateOf('pcp'), ['passed', 1, 3, 2, true], 'no older run exists');
  assert.equal(stateOf('oc'), undefined);
  assert.equal(stateOf(''), undefined);
});

import { isFailed } from '#contract/runs/conclusions.ts';
import { checkStates, type CheckState, type CheckSummary } from '#contract/runs/pull-requests.ts';
import { newestRuns } from '#server/runs/green/newest-runs.ts';
import type { CheckedRun } from './check-store.ts';

/** Sums up the runs of one commit, newest first. Of the same workflow and event only the newest counts. */
export function summarizeChecks(runs: readonly CheckedRun[]): CheckSummary {
  const counted = newestRuns(runs);
  const count = (state: CheckState): number => counted.filter((run) => stateOf(run) === state).length;
  const numbers = {
    failed: count('failed'),
    actionRequired: count('action_required'),
    cancelled: count('cancelled'),
    running: count('running'),
    passed: count('passed'),
  };
  return {
    state: checkStates.find((state) => count(state) > 0) ?? 'none',
    total: counted.length,
    ...numbers,
    errorLine: counted.find((run) => stateOf(run) === 'failed' && run.errorLine !== null)?.errorLine ?? null,
  };
}

function stateOf({ status, conclusion }: CheckedRun): CheckState {
  if (status !== 'completed') return 'running';
  if (isFailed(conclusion)) return 'failed';
  if (conclusion === 'action_required' || conclusion === 'cancelled') return conclusion;
  return conclusion === 'success' ? 'passed' : 'none';
}

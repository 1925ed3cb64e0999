import { failedConclusions } from '#contract/runs/conclusions.ts';
import type { CheckState, CheckSummary } from '#contract/runs/pull-requests.ts';
import { newestRuns } from '#server/runs/green/newest-runs.ts';
import type { CheckedRun } from './check-store.ts';

type Outcome = 'failed' | 'action_required' | 'running' | 'passed' | 'other';

const outcomes: Readonly<Record<string, Outcome>> = {
  ...Object.fromEntries(failedConclusions.map((conclusion) => [conclusion, 'failed' as const])),
  cancelled: 'action_required',
  action_required: 'action_required',
  success: 'passed',
};

/** Sums up the runs of one commit, newest first. Of the same workflow and event only the newest counts. */
export function summarizeChecks(runs: readonly CheckedRun[]): CheckSummary {
  const counted = newestRuns(runs);
  const count = (outcome: Outcome): number => counted.filter((run) => outcomeOf(run) === outcome).length;
  const numbers = { failed: count('failed'), running: count('running'), passed: count('passed') };
  return {
    state: stateOf({ ...numbers, actionRequired: count('action_required') }),
    total: counted.length,
    ...numbers,
    errorLine:
      counted.find((run) => outcomeOf(run) === 'failed' && run.errorLine !== null)?.errorLine ?? null,
  };
}

function outcomeOf({ status, conclusion }: CheckedRun): Outcome {
  if (status !== 'completed') return 'running';
  return (Object.hasOwn(outcomes, conclusion ?? '') && outcomes[conclusion ?? '']) || 'other';
}

function stateOf(counts: Record<'failed' | 'actionRequired' | 'running' | 'passed', number>): CheckState {
  if (counts.failed > 0) return 'failed';
  if (counts.actionRequired > 0) return 'action_required';
  if (counts.running > 0) return 'running';
  return counts.passed > 0 ? 'passed' : 'none';
}

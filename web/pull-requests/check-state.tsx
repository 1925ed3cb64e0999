import type { CheckState, CheckSummary } from '#contract/runs/pull-requests.ts';
import { StatusMark } from '../runs/status-mark.tsx';

const facts: Record<Exclude<CheckState, 'none'>, { status: string; conclusion: string | null }> = {
  failed: { status: 'completed', conclusion: 'failure' },
  action_required: { status: 'completed', conclusion: 'action_required' },
  running: { status: 'in_progress', conclusion: null },
  passed: { status: 'completed', conclusion: 'success' },
};

/** The state of the checks of a commit, with how many failed. */
export function CheckStateMark({ checks: { state, failed, total } }: { checks: CheckSummary }) {
  if (state === 'none') return <span className="text-muted">No checks</span>;
  return (
    <span className="inline-flex items-center gap-1.5 align-top whitespace-nowrap">
      <StatusMark {...facts[state]} />
      <span className="text-muted">
        {state === 'failed' ? `${failed} of ${total}` : total === 1 ? '1 check' : `${total} checks`}
      </span>
    </span>
  );
}

import type { CheckState, CheckSummary } from '#contract/runs/pull-requests.ts';
import { StatusMark } from '../runs/status-mark.tsx';
import { formatCount } from '../ui/locale.ts';

interface Look {
  status: string;
  conclusion: string | null;
  /** How many of the checks are in this state, if it matters. */
  countOf?: (checks: CheckSummary) => number;
}

const looks: Record<Exclude<CheckState, 'none'>, Look> = {
  failed: { status: 'completed', conclusion: 'failure', countOf: ({ failed }) => failed },
  action_required: {
    status: 'completed',
    conclusion: 'action_required',
    countOf: ({ actionRequired }) => actionRequired,
  },
  cancelled: { status: 'completed', conclusion: 'cancelled', countOf: ({ cancelled }) => cancelled },
  running: { status: 'in_progress', conclusion: null },
  passed: { status: 'completed', conclusion: 'success' },
};

/** The state of the checks of a commit, with how many failed, need action or were cancelled. */
export function CheckStateMark({ checks }: { checks: CheckSummary }) {
  const { state, total } = checks;
  if (state === 'none') return <span className="text-muted">No checks</span>;
  const { status, conclusion, countOf } = looks[state];
  return (
    <span className="inline-flex items-center gap-1.5 align-top whitespace-nowrap">
      <StatusMark status={status} conclusion={conclusion} />
      <span className="text-muted">
        {countOf === undefined ? formatCount(total, 'check') : `${countOf(checks)} of ${total}`}
      </span>
    </span>
  );
}

import type { TestMessage } from '#contract/tests/tests.ts';
import { RunLink } from '../runs/run-link.tsx';
import { formatCount } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { FailureTrace } from './failure-trace.tsx';

/** What a test said when it failed, each message with how often and its newest trace. */
export function FailureMessages({ messages }: { messages: readonly TestMessage[] }) {
  return (
    <ul className="flex flex-col gap-4">
      {messages.map((each, index) => (
        <li
          key={`${each.firstAt} ${each.lastAt} ${each.message ?? ''}`}
          className="flex min-w-0 flex-col gap-1"
        >
          <FailureTrace label={`Trace ${index + 1}`} message={each.message} trace={each.trace} />
          <Facts of={each} />
        </li>
      ))}
    </ul>
  );
}

function Facts({ of }: { of: TestMessage }) {
  const { failures, flakes, firstAt, lastAt, branches, newest } = of;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      <span>
        {formatCount(failures, 'failure')}
        {flakes > 0 && `, ${flakes} passed on a retry`}
      </span>
      {failures > 1 && (
        <span>
          first <TimeAgo time={firstAt} isFocusable />
        </span>
      )}
      <span>
        last <TimeAgo time={lastAt} isFocusable /> in{' '}
        <RunLink runId={newest.runId} search={{ attempt: newest.attempt }}>
          #{newest.runNumber ?? newest.runId}
        </RunLink>
      </span>
      {branches.length > 0 && <bdi className="font-mono">{clip(branches.join(', '), 120)}</bdi>}
    </p>
  );
}

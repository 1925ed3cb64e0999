import type { TestFailure } from '#contract/tests/tests.ts';
import { RunLink } from '../runs/run-link.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo } from '../ui/time/time.tsx';

/** The newest failures of a test with their runs. */
export function FailureTable({ failures }: { failures: readonly TestFailure[] }) {
  return (
    <Table
      label="Failed runs"
      columns={columns}
      rows={failures}
      rowKey={({ runId, attempt, jobId, at, message }) => `${runId} ${attempt} ${jobId} ${at} ${message}`}
    />
  );
}

const columns: readonly Column<TestFailure>[] = [
  {
    key: 'run',
    header: 'Run',
    renderCell: ({ runId, runNumber, attempt, title }) => (
      <RunLink runId={runId} search={{ attempt }} className="hover:underline">
        <bdi>{clip(title ?? 'Run')}</bdi>
        <span className="text-muted">
          {' '}
          #{runNumber ?? runId}
          {attempt > 1 && `, attempt ${attempt}`}
        </span>
      </RunLink>
    ),
  },
  {
    key: 'branch',
    header: 'Branch',
    className: 'text-muted',
    renderCell: ({ branch }) => <bdi className="font-mono text-xs">{clip(branch ?? '', 40)}</bdi>,
  },
  {
    key: 'result',
    header: 'Result',
    className: 'whitespace-nowrap',
    renderCell: ({ isFlaky }) => (
      <span className={isFlaky ? 'text-running' : 'text-failed'}>
        {isFlaky ? 'Passed on a retry' : 'Failed'}
      </span>
    ),
  },
  {
    key: 'message',
    header: 'Message',
    className: 'text-muted columns:w-1/2',
    renderCell: ({ message }) => (
      <bdi className="line-clamp-1 font-mono text-xs wrap-anywhere">{clip(message ?? '')}</bdi>
    ),
  },
  {
    key: 'at',
    header: 'Started',
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ at }) => <TimeAgo time={at} isFocusable />,
  },
];

import type { WorkflowRun } from '#contract/runs/runs.ts';
import { RunLink } from '../runs/run-link.tsx';
import { runningSince } from '../runs/run-status.ts';
import { titleOf } from '../runs/run-texts.ts';
import { branchColumn, statusColumn } from '../runs/run-columns.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { Duration, TimeAgo } from '../ui/time/time.tsx';

/** The newest runs of the workflow. */
export function RunTable({ runs }: { runs: readonly WorkflowRun[] }) {
  return (
    <Table
      label="Newest runs"
      hasRowLinks
      columns={columns}
      rows={runs}
      rowKey={({ runId }) => String(runId)}
    />
  );
}

const columns: readonly Column<WorkflowRun>[] = [
  {
    key: 'run',
    header: 'Run',
    renderCell: (run) => (
      <span>
        <RunLink runId={run.runId} className="row-link font-medium">
          <bdi>{titleOf(run)}</bdi>
        </RunLink>
        <span className="block text-xs text-muted">
          {run.runNumber !== null && `#${run.runNumber} `}
          <bdi>{clip(run.actor ?? '', 60)}</bdi>
          {run.attempt > 1 && `, attempt ${run.attempt}`}
        </span>
      </span>
    ),
  },
  statusColumn,
  branchColumn,
  {
    key: 'duration',
    header: 'Duration',
    className: 'text-muted columns:text-right',
    renderCell: (run) => <Duration ms={run.durationMs} since={runningSince(run)} />,
  },
  {
    key: 'created',
    header: 'Created',
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ createdAt }) => (
      <span className="relative z-1">
        <TimeAgo time={createdAt} isFocusable />
      </span>
    ),
  },
];

import type { WorkflowRun } from '#contract/runs/runs.ts';
import type { Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { branchOf } from './run-texts.ts';
import { StatusMark } from './status-mark.tsx';

/** Columns that tables of runs and of jobs share. */
export const statusColumn: Column<
  Pick<WorkflowRun, 'status' | 'conclusion'> & Partial<Pick<WorkflowRun, 'supersededBy'>>
> = {
  key: 'status',
  header: 'Status',
  renderCell: ({ status, conclusion, supersededBy = null }) => (
    <StatusMark status={status} conclusion={conclusion} supersededBy={supersededBy} />
  ),
};

export const branchColumn: Column<Pick<WorkflowRun, 'headBranch'> & Partial<Pick<WorkflowRun, 'event'>>> = {
  key: 'branch',
  header: 'Branch',
  className: 'text-muted',
  renderCell: (run) => <bdi className="font-mono text-xs">{clip(branchOf(run), 40)}</bdi>,
};

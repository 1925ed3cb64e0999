import type { JobListItem } from '#contract/runs/jobs.ts';
import { branchColumn, statusColumn } from '../runs/run-columns.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { timeOf } from '../ui/table/sort-rows.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { Duration, TimeAgo } from '../ui/time/time.tsx';

/** Completed jobs, each with a link to its run. */
export function JobTable({ jobs, isCut }: { jobs: readonly JobListItem[]; isCut: boolean }) {
  return (
    <Table
      label="Jobs"
      isCut={isCut}
      hasRowLinks
      columns={columns}
      rows={jobs}
      rowKey={({ runId, attempt, jobId }) => `${runId} ${attempt} ${jobId}`}
    />
  );
}

const columns: readonly Column<JobListItem>[] = [
  {
    key: 'job',
    header: 'Job',
    sortBy: ({ name }) => name,
    renderCell: (job) => <JobName job={job} />,
  },
  statusColumn,
  branchColumn,
  {
    key: 'runner',
    header: 'Runner',
    sortBy: ({ labels }) => labels.join(', '),
    className: 'text-muted',
    renderCell: ({ labels }) => <bdi>{clip(labels.join(', '), 40)}</bdi>,
  },
  durationColumn('queueMs', 'Waited', 'waited'),
  durationColumn('durationMs', 'Duration', 'ran'),
  {
    key: 'completed',
    header: 'Completed',
    sortBy: ({ completedAt }) => timeOf(completedAt),
    isAtEnd: true,
    className: 'text-muted whitespace-nowrap',
    renderCell: ({ completedAt }) => (
      <span className="relative z-1">
        {completedAt !== null && <TimeAgo time={completedAt} isFocusable />}
      </span>
    ),
  },
];

function JobName({ job: { runId, attempt, name, repository, workflowName } }: { job: JobListItem }) {
  return (
    <span>
      <RunLink runId={runId} search={{ attempt }} className="row-link font-medium">
        <bdi>{clip(name)}</bdi>
        {attempt > 1 && <span className="text-muted">, attempt {attempt}</span>}
      </RunLink>
      <bdi className="block text-xs text-muted">
        {clip(repository)} {clip(workflowName ?? '')}
      </bdi>
    </span>
  );
}

function durationColumn(
  name: 'queueMs' | 'durationMs',
  header: string,
  /** Before the duration on a small screen, where the column has no header. */
  verb: string,
): Column<JobListItem> {
  return {
    key: name,
    header,
    sortBy: ({ [name]: ms }) => ms,
    className: 'text-muted columns:text-right',
    renderCell: ({ [name]: ms }) => (
      <>
        <span className="columns:hidden">{verb} </span>
        <Duration ms={ms} since={null} />
      </>
    ),
  };
}

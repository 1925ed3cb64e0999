import { Link } from '@tanstack/react-router';
import type { JobListItem } from '#contract/runs/jobs.ts';
import { branchColumn, statusColumn } from '../runs/run-columns.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { Duration, TimeAgo } from '../ui/time/time.tsx';

/** Completed jobs, each with a link to its run. */
export function JobTable({ integrationId, jobs }: { integrationId: string; jobs: readonly JobListItem[] }) {
  return (
    <Table
      label="Jobs"
      hasRowLinks
      columns={columnsFor(integrationId)}
      rows={jobs}
      rowKey={({ runId, attempt, jobId }) => `${runId} ${attempt} ${jobId}`}
    />
  );
}

function columnsFor(integrationId: string): Column<JobListItem>[] {
  return [
    {
      key: 'job',
      header: 'Job',
      renderCell: (job) => <JobName integrationId={integrationId} job={job} />,
    },
    statusColumn,
    branchColumn,
    {
      key: 'runner',
      header: 'Runner',
      className: 'text-muted',
      renderCell: ({ labels }) => <bdi>{clip(labels.join(', '), 40)}</bdi>,
    },
    durationColumn('queueMs', 'Waited', 'waited'),
    durationColumn('durationMs', 'Duration', 'ran'),
    {
      key: 'completed',
      header: 'Completed',
      isAtEnd: true,
      className: 'text-muted whitespace-nowrap',
      renderCell: ({ completedAt }) => (
        <span className="relative z-1">
          {completedAt !== null && <TimeAgo time={completedAt} isFocusable />}
        </span>
      ),
    },
  ];
}

function JobName({
  integrationId,
  job: { runId, attempt, name, repository, workflowName },
}: {
  integrationId: string;
  job: JobListItem;
}) {
  return (
    <span>
      <Link
        to="/integrations/$integrationId/runs/$runId"
        params={{ integrationId, runId: String(runId) }}
        search={{ attempt }}
        className="row-link font-medium"
      >
        <bdi>{clip(name)}</bdi>
        {attempt > 1 && <span className="text-muted">, attempt {attempt}</span>}
      </Link>
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
    className: 'text-muted columns:text-right',
    renderCell: ({ [name]: ms }) => (
      <>
        <span className="columns:hidden">{verb} </span>
        <Duration ms={ms} since={null} />
      </>
    ),
  };
}

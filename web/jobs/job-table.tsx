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
      renderCell: ({ runId, attempt, name, repository, workflowName }) => (
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
      ),
    },
    statusColumn,
    branchColumn,
    {
      key: 'runner',
      header: 'Runner',
      className: 'text-muted',
      renderCell: ({ labels }) => <bdi>{clip(labels.join(', '), 40)}</bdi>,
    },
    {
      key: 'queue',
      header: 'Waited',
      className: 'text-muted columns:text-right',
      renderCell: ({ queueMs }) => (
        <>
          <span className="columns:hidden">waited </span>
          <Duration ms={queueMs} since={null} />
        </>
      ),
    },
    {
      key: 'duration',
      header: 'Duration',
      className: 'text-muted columns:text-right',
      renderCell: ({ durationMs }) => (
        <>
          <span className="columns:hidden">ran </span>
          <Duration ms={durationMs} since={null} />
        </>
      ),
    },
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

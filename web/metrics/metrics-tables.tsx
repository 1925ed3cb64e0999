import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type {
  FailureCount,
  FlakyJob,
  LabelMinutes,
  MetricGroup,
  RunnerUse,
} from '#contract/metrics/metrics.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import type { FigureLinks } from './figure-links.tsx';

const branchNames = { default: 'default branch', other: 'other branches' } as const;
const duration = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));
const percent = (rate: number | null): string => (rate === null ? '–' : `${(rate * 100).toFixed(1)} %`);

function number<Row>(key: string, header: string, renderCell: (row: Row) => ReactNode): Column<Row> {
  return { key, header, renderCell, className: 'text-muted md:text-right' };
}

function groupName({ repository, workflow, branch, runner }: MetricGroup): string {
  const parts = [workflow, repository, branch && branchNames[branch], runner];
  return parts.filter((part) => part !== null).join(' · ');
}

export function GroupTable({ groups, links }: { groups: readonly MetricGroup[]; links: FigureLinks }) {
  const columns: Column<MetricGroup>[] = [
    { key: 'name', header: 'Group', renderCell: (group) => <bdi>{groupName(group)}</bdi> },
    number('runs', links.unit === 'jobs' ? 'Jobs' : 'Runs', (group) => links.ofGroup(group)),
    number('rate', 'Success rate', ({ successRate }) => percent(successRate)),
    number(
      'duration',
      'Duration p50 / p95',
      (each) => `${duration(each.durationP50Ms)} / ${duration(each.durationP95Ms)}`,
    ),
    { ...number('queue', 'Queue p95', ({ queueP95Ms }) => duration(queueP95Ms)), isAtEnd: true },
  ];
  return <Table label="Groups" columns={columns} rows={groups} rowKey={groupName} />;
}

export function FailureTable({
  label,
  failures,
  links,
}: {
  label: string;
  failures: readonly FailureCount[];
  links: FigureLinks;
}) {
  const columns: Column<FailureCount>[] = [
    {
      key: 'name',
      header: 'Name',
      renderCell: ({ job, workflow, repository }) => (
        <span>
          <bdi className="font-medium">{job ?? workflow}</bdi>
          <bdi className="block text-xs text-muted">
            {repository} {job !== null && workflow}
          </bdi>
        </span>
      ),
    },
    { ...number('failed', 'Failed', (row: FailureCount) => links.ofFailures(row)), isAtEnd: true },
  ];
  const key = ({ repository, workflow, job }: FailureCount): string =>
    JSON.stringify([repository, workflow, job]);
  return <Table label={label} columns={columns} rows={failures} rowKey={key} />;
}

export function FlakyTable({
  integrationId,
  jobs,
  links,
}: {
  integrationId: string;
  jobs: readonly FlakyJob[];
  links: FigureLinks;
}) {
  const columns: Column<FlakyJob>[] = [
    {
      key: 'job',
      header: 'Job',
      renderCell: ({ job, workflow, repository, lastRunId }) => (
        <span>
          <Link
            to="/integrations/$integrationId/runs/$runId"
            params={{ integrationId, runId: String(lastRunId) }}
            className="font-medium hover:underline"
          >
            <bdi>{job}</bdi>
          </Link>
          <bdi className="block text-xs text-muted">
            {repository} {workflow}
          </bdi>
        </span>
      ),
    },
    number('last', 'Last', ({ lastAt }) => <TimeAgo time={lastAt} isFocusable />),
    { ...number('flips', 'Flips', (row: FlakyJob) => links.ofFlips(row)), isAtEnd: true },
  ];
  return (
    <Table
      label="Flaky jobs"
      columns={columns}
      rows={jobs}
      rowKey={({ repository, workflow, job }) => JSON.stringify([repository, workflow, job])}
    />
  );
}

export function MinutesTable({ labels, links }: { labels: readonly LabelMinutes[]; links: FigureLinks }) {
  const columns: Column<LabelMinutes>[] = [
    { key: 'runner', header: 'Runner labels', renderCell: ({ runner }) => <bdi>{runner}</bdi> },
    number('jobs', 'Jobs', ({ jobs, runner }) => links.ofJobs(jobs, { runner })),
    {
      ...number('minutes', 'Minutes', (each) => `${each.billableMinutes.toLocaleString()} min`),
      isAtEnd: true,
    },
  ];
  return <Table label="Billable minutes" columns={columns} rows={labels} rowKey={({ runner }) => runner} />;
}

export function RunnerTable({ runners, links }: { runners: readonly RunnerUse[]; links: FigureLinks }) {
  const columns: Column<RunnerUse>[] = [
    { key: 'runner', header: 'Runner', renderCell: ({ runner }) => <bdi>{runner}</bdi> },
    number('jobs', 'Jobs', ({ jobs, runner }) => links.ofRunner(jobs, runner)),
    { ...number('busy', 'Busy', ({ busyMs }) => formatDuration(busyMs)), isAtEnd: true },
  ];
  return <Table label="Busiest runners" columns={columns} rows={runners} rowKey={({ runner }) => runner} />;
}

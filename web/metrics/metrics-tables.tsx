import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type {
  FailureCount,
  FlakyJob,
  LabelMinutes,
  MetricGroup,
  RunnerUse,
} from '#contract/metrics/metrics.ts';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { formatDuration, formatMeasured } from '../ui/time/format-duration.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf, type Change } from '../ui/change.ts';
import type { FigureLinks } from './figure-links.tsx';
import { formatNumber, formatPercent } from '../ui/locale.ts';

const branchNames = { default: 'default branch', other: 'other branches' } as const;
const duration = (ms: number | null): string => (ms === null ? '–' : formatMeasured(ms));

function number<Row>(key: string, header: string, renderCell: (row: Row) => ReactNode): Column<Row> {
  return { key, header, renderCell, className: 'text-muted columns:text-right' };
}

function groupName({ repository, workflow, job, branch, runner }: MetricGroup): string {
  const parts = [job, workflow, repository, branch && branchNames[branch], runner];
  return parts.filter((part) => part !== null).join(' · ');
}

type NumberName = keyof NonNullable<MetricGroup['previous']>;

function changeIn(
  group: MetricGroup,
  name: NumberName,
  kind: 'rate' | 'amount',
  better: 'more' | 'less' | 'neither',
): Change | undefined {
  return changeOf({ value: group[name], previous: group.previous?.[name] ?? null }, kind, better);
}

/** A percentile of a group with its change. */
function time(name: 'durationP50Ms' | 'durationP95Ms' | 'queueP95Ms', header: string): Column<MetricGroup> {
  return number(name, header, (group) => (
    <>
      <span className="columns:hidden">{header.replace('Duration ', '')} </span>
      {duration(group[name])}
      <ChangeText change={changeIn(group, name, 'amount', 'less')} />
    </>
  ));
}

export function GroupTable({ groups, links }: { groups: readonly MetricGroup[]; links: FigureLinks }) {
  const columns: Column<MetricGroup>[] = [
    { key: 'name', header: 'Group', renderCell: (group) => <bdi>{groupName(group)}</bdi> },
    number('runs', links.unit === 'jobs' ? 'Jobs' : 'Runs', (group) => (
      <>
        {links.ofGroup(group)}
        <ChangeText change={changeIn(group, 'runs', 'amount', 'neither')} />
      </>
    )),
    number('rate', 'Success rate', (group) => (
      <>
        {formatPercent(group.successRate)}
        <span className="columns:hidden"> passed</span>
        <ChangeText change={changeIn(group, 'successRate', 'rate', 'more')} />
      </>
    )),
    time('durationP50Ms', 'Duration p50'),
    time('durationP95Ms', 'Duration p95'),
    { ...time('queueP95Ms', 'Queue p95'), isAtEnd: true },
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
        <WorkflowName
          integrationId={links.integrationId}
          repository={repository}
          workflow={workflow}
          job={job}
        />
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
      ...number('minutes', 'Minutes', (each) => `${formatNumber(each.billableMinutes)} min`),
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

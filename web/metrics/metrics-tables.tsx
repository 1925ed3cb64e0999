import type { PricedMinutes } from '#contract/metrics/health.ts';
import type { Cost } from '#contract/metrics/minute-prices.ts';
import type { FailureCount, LabelMinutes, MetricGroup, RunnerUse } from '#contract/metrics/metrics.ts';
import { firstTryRate } from '#contract/metrics/first-try.ts';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { Table, type Column } from '../ui/table/table.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import type { FigureLinks } from './figure-links.tsx';
import { formatMoney, formatNumber, formatPercent } from '../ui/locale.ts';
import { numberColumn, percentileColumn } from './number-columns.tsx';

const branchNames = { default: 'default branch', other: 'other branches' } as const;

function groupName({ repository, workflow, job, branch, runner }: MetricGroup): string {
  const parts = [job, workflow, repository, branch && branchNames[branch], runner];
  return parts.filter((part) => part !== null).join(' · ');
}

export function GroupTable({ groups, links }: { groups: readonly MetricGroup[]; links: FigureLinks }) {
  const columns: Column<MetricGroup>[] = [
    { key: 'name', header: 'Group', renderCell: (group) => <bdi>{groupName(group)}</bdi>, sortBy: groupName },
    numberColumn(
      'runs',
      links.unit === 'jobs' ? 'Jobs' : 'Runs',
      (group) => (
        <>
          {links.ofGroup(group)}
          <ChangeText change={changeOf(group.runs, group.previous?.runs, 'amount', 'neither')} />
        </>
      ),
      ({ runs }) => runs,
    ),
    numberColumn(
      'rate',
      'Success rate',
      ({ successRate, previous }) => (
        <>
          {formatPercent(successRate)}
          <span className="columns:hidden"> passed</span>
          <ChangeText change={changeOf(successRate, previous?.successRate, 'rate', 'more')} />
        </>
      ),
      ({ successRate }) => successRate,
    ),
    ...(links.unit === 'runs'
      ? [
          numberColumn(
            'first',
            'First try',
            (group: MetricGroup) => (
              <>
                {formatPercent(firstTryRate(group))}
                <span className="columns:hidden"> at the first try</span>
              </>
            ),
            firstTryRate,
          ),
        ]
      : []),
    percentileColumn('durationP50Ms', 'Duration p50'),
    percentileColumn('durationP95Ms', 'Duration p95'),
    { ...percentileColumn('queueP95Ms', 'Queue p95'), isAtEnd: true },
  ];
  return <Table label="Groups" columns={columns} rows={groups} rowKey={groupName} />;
}

const jobKey = ({ repository, workflow, job }: Pick<FailureCount, 'repository' | 'workflow' | 'job'>) =>
  JSON.stringify([repository, workflow, job]);

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
      renderCell: (row) => <WorkflowName {...row} />,
      sortBy: ({ job, workflow }) => job ?? workflow,
    },
    {
      ...numberColumn(
        'failed',
        'Failed',
        (row: FailureCount) => links.ofFailures(row),
        ({ failed }) => failed,
      ),
      isAtEnd: true,
    },
  ];
  return <Table label={label} columns={columns} rows={failures} rowKey={jobKey} />;
}

type MinutesRow = LabelMinutes & Partial<Pick<PricedMinutes, 'costs'>>;

/** With a column for the cost when a label has a price. */
export function MinutesTable({ labels, links }: { labels: readonly MinutesRow[]; links: FigureLinks }) {
  const minutesColumn = numberColumn<MinutesRow>(
    'minutes',
    'Minutes',
    (each) => `${formatNumber(each.billableMinutes)} min`,
    ({ billableMinutes }) => billableMinutes,
  );
  const isPriced = labels.some(hasCost);
  const columns: Column<MinutesRow>[] = [
    {
      key: 'runner',
      header: 'Runner labels',
      renderCell: ({ runner }) => <bdi>{runner}</bdi>,
      sortBy: ({ runner }) => runner,
    },
    numberColumn(
      'jobs',
      'Jobs',
      ({ jobs, runner }) => links.ofJobs(jobs, { runner }),
      ({ jobs }) => jobs,
    ),
    isPriced ? minutesColumn : { ...minutesColumn, isAtEnd: true },
    ...(isPriced ? [{ ...costColumn<MinutesRow>((row) => row.billableMinutes), isAtEnd: true }] : []),
  ];
  return <Table label="Runner minutes" columns={columns} rows={labels} rowKey={({ runner }) => runner} />;
}

/** Says how many of the minutes it covers when others have no price. */
export function costText(costs: readonly Cost[], minutes: number): string {
  const covered = costs.reduce((sum, cost) => sum + cost.minutes, 0);
  const text = costs.map(({ amount, currency }) => formatMoney(amount, currency)).join(' + ');
  if (covered === 0) return '–';
  return covered === minutes ? text : `${text} of ${formatNumber(covered)} min`;
}

interface Priced {
  costs?: readonly Cost[];
}

export const hasCost = ({ costs = [] }: Priced): boolean => costs.length > 0;

export const costColumn = <Row extends Priced>(minutesOf: (row: Row) => number): Column<Row> =>
  numberColumn('cost', 'Cost', (row) => (
    <span className="whitespace-nowrap">{costText(row.costs ?? [], minutesOf(row))}</span>
  ));

export function RunnerTable({ runners, links }: { runners: readonly RunnerUse[]; links: FigureLinks }) {
  const columns: Column<RunnerUse>[] = [
    {
      key: 'runner',
      header: 'Runner',
      renderCell: ({ runner }) => <bdi>{runner}</bdi>,
      sortBy: ({ runner }) => runner,
    },
    numberColumn(
      'jobs',
      'Jobs',
      ({ jobs, runner }) => links.ofRunner(jobs, runner),
      ({ jobs }) => jobs,
    ),
    {
      ...numberColumn(
        'busy',
        'Busy',
        ({ busyMs }) => formatDuration(busyMs),
        ({ busyMs }) => busyMs,
      ),
      isAtEnd: true,
    },
  ];
  return <Table label="Busiest runners" columns={columns} rows={runners} rowKey={({ runner }) => runner} />;
}

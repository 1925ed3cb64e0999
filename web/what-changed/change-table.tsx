import type { ReactNode } from 'react';
import type { Change, ChangeKind, ChangeNumbers, Changes } from '#contract/metrics/changes.ts';
import type { BranchClass } from '#contract/metrics/metrics.ts';
import { JobsLink, RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf, workflowFilter } from '../runs/period.ts';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import { formatNumber, formatPercent } from '../ui/locale.ts';
import { Table, type Column } from '../ui/table/table.tsx';
import { formatMeasured } from '../ui/time/format-duration.ts';
import { BeforeAfter } from './before-after.tsx';
import { ChangedSteps } from './changed-steps.tsx';
import { Since } from './since.tsx';

interface TableProps {
  kind: ChangeKind;
  changes: Changes;
  branch: BranchClass | undefined;
}

/** The changes of one kind. */
export function ChangeTable({ label, ...props }: TableProps & { label: string }) {
  return (
    <Table
      label={label}
      isTall
      columns={columnsFor(props)}
      rows={props.changes[props.kind].items}
      rowKey={({ repository, workflow, job }) => JSON.stringify([repository, workflow, job])}
    />
  );
}

function columnsFor(props: TableProps): Column<Change>[] {
  return [
    {
      key: 'name',
      header: 'Workflow or job',
      className: 'columns:w-1/4',
      renderCell: ({ repository, workflow, job, steps }) => (
        <span>
          <WorkflowName repository={repository} workflow={workflow} job={job} />
          <ChangedSteps steps={steps} kind={props.kind} />
        </span>
      ),
    },
    { key: 'since', header: 'Since', renderCell: ({ since }) => <Since since={since} /> },
    {
      key: 'runs',
      header: 'Runs, before and after',
      className: 'text-muted',
      renderCell: (change) => <Counts change={change} {...props} />,
    },
    {
      key: 'change',
      header: 'Change',
      isAtEnd: true,
      renderCell: (change) => <Values change={change} kind={props.kind} />,
    },
  ];
}

/** How many runs or jobs the numbers rest on, with links to them. */
function Counts({ change, kind, changes, branch }: TableProps & { change: Change }) {
  const { before, after } = change;
  const { previousFrom, from, to } = changes;
  const counted = (numbers: ChangeNumbers, period: { from: string; to: string }): ReactNode => {
    const shared = { ...periodOf(period), branchClass: branch };
    const all = <CountLink change={change} count={numbers.runs} filter={shared} />;
    if (kind === 'slower' || kind === 'costlier') return all;
    const isFailing = kind === 'failing';
    return (
      <>
        <CountLink
          change={change}
          count={isFailing ? numbers.failed : numbers.recovered}
          filter={{ ...shared, ...(isFailing ? failedOnly : recoveredOnly) }}
          isOfReruns={!isFailing}
        />{' '}
        of {all}
      </>
    );
  };
  return (
    <BeforeAfter
      before={counted(before, { from: previousFrom, to: from })}
      after={counted(after, { from, to })}
    />
  );
}

const recoveredOnly = { conclusion: 'success' } as const;

/** A count of runs or jobs of the change as a link to them. */
function CountLink({
  change: { repository, workflow, job },
  count,
  filter,
  isOfReruns = false,
}: {
  change: Change;
  count: number;
  filter: ReturnType<typeof periodOf> & { branchClass: BranchClass | undefined; conclusion?: string };
  isOfReruns?: boolean;
}) {
  const text = formatNumber(count);
  return job === null ? (
    <RunsLink
      count={count}
      filter={{
        ...filter,
        ...workflowFilter({ repository, workflow }),
        attempt: isOfReruns ? 'later' : undefined,
      }}
    >
      {text}
    </RunsLink>
  ) : (
    <JobsLink
      count={count}
      filter={{ ...filter, repository, workflow, job, attempt: isOfReruns ? 'flip' : undefined }}
    >
      {text}
    </JobsLink>
  );
}

/** The numbers that the kind is about, before and after. */
function Values({ change: { before, after }, kind }: { change: Change; kind: ChangeKind }) {
  const valueOf = (name: Exclude<keyof ChangeNumbers, 'runs' | 'failed' | 'recovered'>, label?: string) => (
    <Value
      label={label}
      before={before[name]}
      after={after[name]}
      format={formats[name]}
      isShare={name === 'failedShare' || name === 'recoveredShare'}
    />
  );
  switch (kind) {
    case 'slower':
      return (
        <>
          {valueOf('durationP50Ms', 'p50')}
          {valueOf('durationP95Ms', 'p95')}
        </>
      );
    case 'failing':
      return valueOf('failedShare');
    case 'flakier':
      return valueOf('recoveredShare');
    case 'costlier':
      return valueOf('billableMinutes');
  }
}

const formats = {
  durationP50Ms: formatMeasured,
  durationP95Ms: formatMeasured,
  failedShare: formatPercent,
  recoveredShare: formatPercent,
  billableMinutes: (minutes: number | null) => `${formatNumber(minutes ?? 0)} min`,
} as const;

function Value({
  label,
  before,
  after,
  format,
  isShare,
}: {
  label: string | undefined;
  before: number | null;
  after: number | null;
  format: (value: number | null) => string;
  isShare: boolean;
}) {
  return (
    <span className="block whitespace-nowrap">
      {label !== undefined && <span className="mr-2 text-xs text-muted">{label}</span>}
      <BeforeAfter before={<span className="text-muted">{format(before)}</span>} after={format(after)} />
      <ChangeText change={changeOf(after, before, isShare ? 'rate' : 'amount', 'less')} />
    </span>
  );
}

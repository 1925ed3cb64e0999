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
import { ChangedSteps } from './changed-steps.tsx';
import { Since } from './since.tsx';

interface TableProps {
  integrationId: string;
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
      renderCell: (change) => <Name integrationId={props.integrationId} change={change} kind={props.kind} />,
    },
    {
      key: 'since',
      header: 'Since',
      renderCell: (change) => <Since integrationId={props.integrationId} change={change} />,
    },
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

function Name({ integrationId, change, kind }: { integrationId: string; change: Change; kind: ChangeKind }) {
  const { repository, workflow, job, steps } = change;
  return (
    <span>
      <WorkflowName integrationId={integrationId} repository={repository} workflow={workflow} job={job} />
      <ChangedSteps steps={steps} kind={kind} />
    </span>
  );
}

/** How many runs or jobs the numbers rest on, with links to them. */
function Counts({ change, integrationId, kind, changes, branch }: TableProps & { change: Change }) {
  const { repository, workflow, job, before, after } = change;
  const { previousFrom, from, to } = changes;
  const ofClass = branch === undefined ? {} : { branchClass: branch };
  /** Of all runs, or of those that failed or were recovered. */
  const link = (numbers: ChangeNumbers, period: { from: string; to: string }, part: 'all' | 'hits') => {
    const isOfJob = job !== null;
    const count = part === 'all' ? numbers.runs : kind === 'failing' ? numbers.failed : numbers.recovered;
    const result = part === 'all' ? {} : kind === 'failing' ? failedOnly : { conclusion: 'success' };
    const text = formatNumber(count);
    if (isOfJob) {
      const attempt = part === 'hits' && kind === 'flakier' ? { attempt: 'flip' as const } : {};
      const filter = { ...periodOf(period), ...ofClass, repository, workflow, job, ...result, ...attempt };
      return (
        <JobsLink integrationId={integrationId} count={count} filter={filter}>
          {text}
        </JobsLink>
      );
    }
    const attempt = part === 'hits' && kind === 'flakier' ? { attempt: 'later' as const } : {};
    const filter = {
      ...periodOf(period),
      ...ofClass,
      ...workflowFilter({ repository, workflow }),
      ...result,
      ...attempt,
    };
    return (
      <RunsLink integrationId={integrationId} count={count} filter={filter}>
        {text}
      </RunsLink>
    );
  };
  const both = (part: 'all' | 'hits') =>
    [link(before, { from: previousFrom, to: from }, part), link(after, { from, to }, part)] as const;
  const [allBefore, allAfter] = both('all');
  const [hitsBefore, hitsAfter] = both('hits');
  const isShare = kind === 'failing' || kind === 'flakier';
  return (
    <BeforeAfter
      before={
        isShare ? (
          <>
            {hitsBefore} of {allBefore}
          </>
        ) : (
          allBefore
        )
      }
      after={
        isShare ? (
          <>
            {hitsAfter} of {allAfter}
          </>
        ) : (
          allAfter
        )
      }
    />
  );
}

function BeforeAfter({ before, after }: { before: ReactNode; after: ReactNode }) {
  return (
    <span className="whitespace-nowrap">
      {before}
      <span aria-hidden> → </span>
      <span className="sr-only">before, </span>
      {after}
      <span className="sr-only"> after</span>
    </span>
  );
}

/** The numbers that the kind is about, before and after. */
function Values({ change: { before, after }, kind }: { change: Change; kind: ChangeKind }) {
  const duration = (name: 'durationP50Ms' | 'durationP95Ms', label: string) => (
    <Value label={label} format={formatMs} kind="amount" before={before[name]} after={after[name]} />
  );
  switch (kind) {
    case 'slower':
      return (
        <>
          {duration('durationP50Ms', 'p50')}
          {duration('durationP95Ms', 'p95')}
        </>
      );
    case 'failing':
      return (
        <Value format={formatPercent} kind="rate" before={before.failedShare} after={after.failedShare} />
      );
    case 'flakier':
      return (
        <Value
          format={formatPercent}
          kind="rate"
          before={before.recoveredShare}
          after={after.recoveredShare}
        />
      );
    case 'costlier':
      return (
        <Value
          format={(minutes) => `${formatNumber(minutes ?? 0)} min`}
          kind="amount"
          before={before.billableMinutes}
          after={after.billableMinutes}
        />
      );
  }
}

const formatMs = (ms: number | null): string => (ms === null ? '–' : formatMeasured(ms));

function Value({
  label,
  before,
  after,
  format,
  kind,
}: {
  label?: string;
  before: number | null;
  after: number | null;
  format: (value: number | null) => string;
  kind: 'rate' | 'amount';
}) {
  return (
    <span className="block whitespace-nowrap">
      {label !== undefined && <span className="mr-2 text-xs text-muted">{label}</span>}
      <BeforeAfter before={<span className="text-muted">{format(before)}</span>} after={format(after)} />
      <ChangeText change={changeOf({ value: after, previous: before }, kind, 'less')} />
    </span>
  );
}

import type { ReactNode } from 'react';
import type { Change, ChangedPart, ChangedRun, ChangeNumbers, Changes } from '#contract/metrics/changes.ts';
import { joinValues } from '#contract/base/value-list.ts';
import type { BranchClass } from '#contract/metrics/metrics.ts';
import { decidedConclusions } from '#contract/runs/conclusions.ts';
import { JobsLink, RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf, workflowFilter } from '../runs/period.ts';
import { RunLink } from '../runs/run-link.tsx';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { changeOf } from '../ui/change.ts';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { linkLook, OutsideLink } from '../ui/text/text-link.tsx';
import { formatDuration, formatMeasured } from '../ui/time/format-duration.ts';
import { timeFormat } from '../ui/time/time-format.ts';

const [width, height, edge] = [160, 32, 2];

/** The number of a change in each hour or day of both periods. The later period has a background. */
function TrendLine({ trend }: Pick<Change, 'trend'>) {
  const known = trend.filter((value) => value !== null);
  const most = Math.max(...known, 0);
  const xOf = (index: number): number => edge + (index / Math.max(1, trend.length - 1)) * (width - 2 * edge);
  const yOf = (value: number): number =>
    height - edge - (most === 0 ? 0 : value / most) * (height - 2 * edge);
  const points = trend.flatMap((value, index) => (value === null ? [] : [`${xOf(index)},${yOf(value)}`]));
  const middle = xOf(trend.length / 2 - 0.5);
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-8 w-full max-w-60 sm:w-40"
    >
      <rect x={middle} width={width - middle} height={height} className="fill-raised" />
      <polyline
        points={points.join(' ')}
        fill="none"
        className="stroke-accent"
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

type Counted = 'runs' | 'decided' | 'failed' | 'recovered';

interface ListProps {
  changes: Changes;
  branch: BranchClass | undefined;
}

/** All changes, each with its verdict, its numbers and since when. */
export function ChangeList(props: ListProps) {
  return (
    <ol aria-label="Changes" className="divide-y divide-line border-b border-line">
      {props.changes.items.map((change) => (
        <li
          key={JSON.stringify([change.kind, change.repository, change.workflow, change.job])}
          className="flex flex-col gap-x-6 gap-y-1 px-4 py-3 sm:flex-row sm:items-center"
        >
          <div className="shrink-0 wrap-anywhere sm:w-1/4">
            <WorkflowName repository={change.repository} workflow={change.workflow} job={change.job} />
          </div>
          <div className="min-w-0 grow wrap-anywhere">
            <p>
              <Verdict change={change} {...props} />
            </p>
            <p className="text-xs text-muted">
              <Facts change={change} />
            </p>
          </div>
          <TrendLine trend={change.trend} />
        </li>
      ))}
    </ol>
  );
}

/** What became worse, in both periods. */
function Verdict({ change, ...props }: ListProps & { change: Change }) {
  const { kind, before, after } = change;
  const counted = (of: 'before' | 'after', what: Counted) => (
    <Count change={change} of={of} what={what} {...props} />
  );
  const unit = change.job === null ? 'runs' : 'jobs';
  switch (kind) {
    case 'failing':
      return (
        <>
          <strong>Fails more:</strong> {counted('after', 'failed')} of {counted('after', 'decided')} failed,
          before {counted('before', 'failed')} of {counted('before', 'decided')}
        </>
      );
    case 'flakier':
      return (
        <>
          <strong>Flakier:</strong> {counted('after', 'recovered')} of {counted('after', 'decided')} passed
          only on a re-run, before {counted('before', 'recovered')} of {counted('before', 'decided')}
        </>
      );
    case 'slower':
      return (
        <>
          <strong>Slower:</strong> {formatMeasured(after.durationP50Ms)} in {counted('after', 'runs')} {unit},
          before {formatMeasured(before.durationP50Ms)} in {counted('before', 'runs')}
          {risen(after.durationP50Ms, before.durationP50Ms)}
        </>
      );
    case 'costlier':
      return (
        <>
          <strong>More minutes:</strong> {formatNumber(after.billableMinutes)} in {counted('after', 'runs')}{' '}
          {unit}, before {formatNumber(before.billableMinutes)} in {counted('before', 'runs')}
          {risen(after.billableMinutes, before.billableMinutes)}
        </>
      );
  }
}

function risen(after: number | null, before: number | null): ReactNode {
  const text = changeOf(after, before, 'amount', 'less')?.text;
  return text === undefined ? null : <span className="whitespace-nowrap"> ({text})</span>;
}

const only = {
  failed: failedOnly,
  recovered: { conclusion: 'success' },
  decided: { conclusion: joinValues(decidedConclusions) },
} as const;

/** A count of runs or jobs of the change as a link to them. */
function Count({
  change,
  of,
  what,
  changes: { previousFrom, from, to },
  branch,
}: ListProps & { change: Change; of: 'before' | 'after'; what: Counted }) {
  const { repository, workflow, job } = change;
  const numbers: ChangeNumbers = change[of];
  const filter = {
    ...periodOf(of === 'before' ? { from: previousFrom, to: from } : { from, to }),
    branchClass: branch,
    ...(what !== 'runs' && only[what]),
  };
  const count = numbers[what];
  return job === null ? (
    <RunsLink
      count={count}
      filter={{
        ...filter,
        ...workflowFilter({ repository, workflow }),
        attempt: what === 'recovered' ? 'later' : undefined,
      }}
    >
      {formatNumber(count)}
    </RunsLink>
  ) : (
    <JobsLink
      count={count}
      filter={{ ...filter, repository, workflow, job, attempt: what === 'recovered' ? 'flip' : undefined }}
    >
      {formatNumber(count)}
    </JobsLink>
  );
}

/** Since when, and which part of it changed, in one line. */
function Facts({ change: { kind, since, parts } }: { change: Change }) {
  const url = safeUrl(since?.compareUrl ?? null);
  const facts: ReactNode[] = [
    since !== null && (
      <span key="since">
        Began between <RunName run={since.before} /> and <RunName run={since.after} />,{' '}
        <time dateTime={since.at}>{hour(Date.parse(since.at))}</time>
      </span>
    ),
    url && (
      <OutsideLink key="commits" href={url} about="at the forge">
        Commits between
      </OutsideLink>
    ),
    ...parts.map((part) => (
      <span key={JSON.stringify([part.job, part.step])}>
        <bdi>{clip(part.step ?? part.job, 80)}</bdi> {partText(kind, part)}
      </span>
    )),
  ];
  return facts.filter(Boolean).map((fact, index) => (
    <span key={index}>
      {index > 0 && ' · '}
      {fact}
    </span>
  ));
}

const hour = timeFormat('hour');

function RunName({ run: { runId, runNumber, title } }: { run: ChangedRun }) {
  return (
    <RunLink runId={runId} className={linkLook}>
      <bdi title={title ?? undefined}>{runNumber === null ? `run ${runId}` : `#${runNumber}`}</bdi>
    </RunLink>
  );
}

function partText(kind: Change['kind'], { before, after }: ChangedPart): string {
  if (kind === 'slower') return `${formatDuration(after)}, before ${formatDuration(before)}`;
  if (kind === 'costlier') return `${formatCount(after, 'minute')}, before ${formatNumber(before)}`;
  return `${formatPercent(after)}, before ${formatPercent(before)}`;
}

import type { ReactNode } from 'react';
import type { Change, ChangedRun, ChangeNumbers, Changes } from '#contract/metrics/changes.ts';
import { joinValues } from '#contract/base/value-list.ts';
import type { BranchClass } from '#contract/metrics/metrics.ts';
import { decidedConclusions } from '#contract/runs/conclusions.ts';
import { JobsLink, RunsLink } from '../runs/figure-link.tsx';
import { failedOnly, periodOf, workflowFilter } from '../runs/period.ts';
import { RunLink } from '../runs/run-link.tsx';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { ChangeText } from '../ui/change-text.tsx';
import { changeOf } from '../ui/change.ts';
import { formatCount, formatNumber, formatPercent } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { linkLook, OutsideLink } from '../ui/text/text-link.tsx';
import { formatDuration, formatMeasured } from '../ui/time/format-duration.ts';
import { timeFormat } from '../ui/time/time-format.ts';

const [width, height, edge] = [160, 32, 2];

/** The number of a change in each hour or day of both periods. The later period has a background, and a line shows where it changed. */
function TrendLine({ trend, sinceShare }: Pick<Change, 'trend'> & { sinceShare: number | undefined }) {
  const known = trend.filter((value) => value !== null);
  const most = Math.max(...known, 0);
  const xOf = (index: number): number => edge + (index / Math.max(1, trend.length - 1)) * (width - 2 * edge);
  const yOf = (value: number): number =>
    height - edge - (most === 0 ? 0 : value / most) * (height - 2 * edge);
  const points = trend.flatMap((value, index) => (value === null ? [] : [`${xOf(index)},${yOf(value)}`]));
  const middle = xOf(trend.length / 2 - 0.5);
  const since = sinceShare === undefined ? undefined : edge + sinceShare * (width - 2 * edge);
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" className="h-8 w-40">
      <rect x={middle} width={width - middle} height={height} className="fill-selected" />
      {since !== undefined && (
        <line
          x1={since}
          x2={since}
          y1={0}
          y2={height}
          strokeDasharray="3 3"
          className="stroke-failed"
          vectorEffect="non-scaling-stroke"
        />
      )}
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

/** What became worse, worst first: by how much, since when, in which part. */
export function ChangeList(props: ListProps) {
  return (
    <ol aria-label="Changes" className="divide-y divide-line border-b border-line">
      {props.changes.items.map((change) => (
        <li
          key={JSON.stringify([change.kind, change.repository, change.workflow, change.job])}
          className="grid gap-x-6 gap-y-1 px-4 py-2.5 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_minmax(0,4fr)_10rem] lg:items-center"
        >
          <div className="wrap-anywhere">
            <WorkflowName repository={change.repository} workflow={change.workflow} job={change.job} />
          </div>
          <div className="wrap-anywhere">
            <Verdict change={change} {...props} />
          </div>
          <div className="text-xs wrap-anywhere text-muted">
            <Since since={change.since} />
            <Parts change={change} />
          </div>
          <TrendLine trend={change.trend} sinceShare={shareOf(change.since?.at, props.changes)} />
        </li>
      ))}
    </ol>
  );
}

/** Where a moment is in both periods, from 0 to 1. */
function shareOf(at: string | undefined, { previousFrom, to }: Changes): number | undefined {
  if (at === undefined) return undefined;
  const [start, end] = [Date.parse(previousFrom), Date.parse(to)];
  return (Date.parse(at) - start) / (end - start);
}

const words: Record<Change['kind'], string> = {
  failing: 'Fails more',
  flakier: 'Flakier',
  slower: 'Slower',
  costlier: 'More minutes',
};

/** What became worse and by how much, and below it how many runs or jobs that is about. */
function Verdict({ change, ...props }: ListProps & { change: Change }) {
  const { kind, before, after } = change;
  const counted = (of: 'before' | 'after', what: Counted) => (
    <Count change={change} of={of} what={what} {...props} />
  );
  const unit = change.job === null ? 'runs' : 'jobs';
  const numbers = (of: 'before' | 'after'): ReactNode =>
    kind === 'slower' || kind === 'costlier' ? (
      counted(of, 'runs')
    ) : (
      <>
        {counted(of, kind === 'failing' ? 'failed' : 'recovered')} of {counted(of, 'decided')}
      </>
    );
  const notes = {
    failing: `${unit} failed`,
    flakier: `${unit} passed only on a re-run`,
    slower: `${unit}, median`,
    costlier: unit,
  };
  return (
    <>
      <p>
        <strong>{words[kind]}</strong> <FromTo before={textOf(kind, before)} after={textOf(kind, after)} />
        <Risen kind={kind} before={before} after={after} />
      </p>
      <p className="text-xs text-muted">
        <FromTo before={numbers('before')} after={numbers('after')} /> {notes[kind]}
      </p>
    </>
  );
}

/** Both values in the order of time. */
function FromTo({ before, after }: { before: ReactNode; after: ReactNode }) {
  return (
    <span className="whitespace-nowrap">
      {before}
      <span aria-hidden> → </span>
      <span className="sr-only"> before, now </span>
      {after}
    </span>
  );
}

function textOf(kind: Change['kind'], numbers: ChangeNumbers): string {
  switch (kind) {
    case 'failing':
      return formatPercent(numbers.failedShare);
    case 'flakier':
      return formatPercent(numbers.recoveredShare);
    case 'slower':
      return formatMeasured(numbers.durationP50Ms);
    case 'costlier':
      return formatNumber(numbers.billableMinutes);
  }
}

/** By how much an amount rose. Shares already say it. */
function Risen({ kind, before, after }: Pick<Change, 'kind' | 'before' | 'after'>) {
  const valueOf = kind === 'slower' ? 'durationP50Ms' : kind === 'costlier' ? 'billableMinutes' : undefined;
  return valueOf && <ChangeText change={changeOf(after[valueOf], before[valueOf], 'amount', 'less')} />;
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

/** The runs between which the level moved, and the commits between them. */
function Since({ since }: Pick<Change, 'since'>) {
  if (since === null) return null;
  const url = safeUrl(since.compareUrl);
  return (
    <p>
      Since <time dateTime={since.at}>{hour(Date.parse(since.at))}</time>, between{' '}
      <RunName run={since.before} /> and <RunName run={since.after} />
      {url && (
        <>
          {' · '}
          <OutsideLink href={url} about="between both runs">
            Commits
          </OutsideLink>
        </>
      )}
    </p>
  );
}

/** Jobs and steps that changed in the same way. */
function Parts({ change: { kind, parts } }: { change: Change }) {
  return parts.map((part) => (
    <p key={JSON.stringify([part.job, part.step])}>
      <bdi>{clip(part.step ?? part.job, 80)}</bdi>{' '}
      <FromTo before={partText(kind, part.before)} after={partText(kind, part.after)} />
    </p>
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

function partText(kind: Change['kind'], value: number): string {
  if (kind === 'slower') return formatDuration(value);
  if (kind === 'costlier') return formatCount(value, 'minute');
  return formatPercent(value);
}

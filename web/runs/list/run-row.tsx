/* oxlint-disable jsx-a11y/prefer-tag-over-role -- browsers forget that real table elements are a table once these are laid out as a grid */
import GitBranch from 'lucide-react/icons/git-branch';
import RotateCw from 'lucide-react/icons/rotate-cw';
import {
  memo,
  type ComponentProps,
  type CSSProperties,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { isFailed } from '#contract/runs/conclusions.ts';
import type { WorkflowRun } from '#contract/runs/runs.ts';
import { clip } from '../../ui/text/clip.ts';
import { Duration, TimeAgo } from '../../ui/time/time.tsx';
import { runningSince } from '../run-status.ts';
import { WorkflowLink } from '../workflow-link.tsx';
import { branchOf, shortRepository, titleOf, workflowOf } from '../run-texts.ts';
import { StatusMark } from '../status-mark.tsx';

/** The events of the row links. One object for all rows, so that rows do not re-render. */
export interface RowEvents {
  onOpen(event: MouseEvent<HTMLAnchorElement>, run: WorkflowRun): void;
  onFocus(event: FocusEvent<HTMLAnchorElement>, run: WorkflowRun): void;
  onBlur(): void;
}

interface Column {
  name: string;
  /** Its place on narrow screens is in `run-list.css`. A column without a place there needs `hideBelow`. */
  className: string;
  /** A grid track. */
  width: string;
  /** Hides the column on narrower screens, so that titles are not cut after a few words. */
  hideBelow?: 'wide' | 'medium';
  cell(run: WorkflowRun, events: RowEvents): ReactNode;
}

/** The columns of the list, in their order. */
export const columns: readonly Column[] = [
  {
    name: 'Status',
    className: 'run-status',
    width: '7.75rem',
    cell: (run) => (
      <StatusMark status={run.status} conclusion={run.conclusion} supersededBy={run.supersededBy} />
    ),
  },
  {
    name: 'Run',
    className: 'run-title',
    width: 'minmax(12rem, 4fr)',
    cell: (run, events) => (
      // Two lines fit into the height of a row, so that neither is cut for the other.
      <>
        <span className="flex min-w-0 items-baseline gap-2 leading-4">
          <RunLink
            run={run}
            events={events}
            className="row-link flex min-w-0 gap-1.5"
            id={`run-${run.runId}`}
          >
            <bdi className="truncate font-medium">{titleOf(run)}</bdi>
            {run.runNumber !== null && <span className="text-muted">#{run.runNumber}</span>}
          </RunLink>
          {run.attempt > 1 && <AttemptMark run={run} />}
        </span>
        {hasErrorLine(run) && (
          <span
            className={`block truncate text-2xs leading-3.5 ${hasPassed(run) ? 'text-muted' : 'text-failed'}`}
          >
            {hasPassed(run) && 'Passed on re-run: '}
            <bdi className="font-mono">{clip(run.errorLine)}</bdi>
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Workflow',
    className: 'run-workflow text-muted',
    width: 'minmax(8rem, 1.7fr)',
    cell: (run) => (
      <span title={clip(run.repository)}>
        <bdi>{shortRepository(run)}</bdi> /{' '}
        <WorkflowLink
          repository={run.repository}
          workflow={run.workflowName}
          className="relative z-1 hover:underline"
        >
          <bdi>{workflowOf(run)}</bdi>
        </WorkflowLink>
      </span>
    ),
  },
  {
    name: 'Branch',
    className: 'run-branch text-muted',
    width: 'minmax(7rem, 1.5fr)',
    cell: (run) =>
      run.headBranch !== null && (
        <>
          <GitBranch size={13} aria-hidden className="mr-1 inline-block align-[-2px]" />
          <bdi className="font-mono text-xs">{branchOf(run)}</bdi>
        </>
      ),
  },
  {
    name: 'Actor',
    className: 'run-actor text-muted',
    width: 'minmax(5rem, 1.1fr)',
    hideBelow: 'medium',
    cell: (run) => <bdi title={rerunText(run)}>{clip(run.actor ?? run.triggeringActor ?? '')}</bdi>,
  },
  {
    name: 'Event',
    className: 'run-event text-muted',
    width: 'minmax(5rem, 0.9fr)',
    hideBelow: 'wide',
    cell: (run) => <bdi>{clip(run.event ?? '')}</bdi>,
  },
  {
    name: 'Duration',
    className: 'run-duration',
    width: '4.25rem',
    cell: (run) => <Duration ms={run.durationMs} since={runningSince(run)} />,
  },
  {
    name: 'Started',
    className: 'run-started text-muted',
    width: '4.5rem',
    // The link covers the row link, so that the tooltip works. A click opens the run too.
    cell: (run, events) => (
      <RunLink run={run} events={events} className="relative z-1" tabIndex={-1}>
        <TimeAgo time={run.startedAt ?? run.createdAt} />
      </RunLink>
    ),
  },
];

/** Who asked for the attempt, if that is not the first one. The column has who started the run. */
function rerunText({ attempt, triggeringActor }: WorkflowRun): string | undefined {
  return attempt > 1 && triggeringActor !== null ? `Re-run by ${clip(triggeringActor, 100)}` : undefined;
}

function AttemptMark({ run }: { run: WorkflowRun }) {
  return (
    <span
      title={rerunText(run)}
      className="inline-flex shrink-0 items-center gap-1 self-center rounded border border-line-strong px-1 text-2xs leading-3.5 text-muted"
    >
      <RotateCw size={10} aria-hidden />
      {/* Otherwise titles are cut. */}
      <span className="max-[90rem]:sr-only">Attempt</span> {run.attempt}
    </span>
  );
}

/** A run that runs again keeps the line of its last failure. */
function hasErrorLine(run: WorkflowRun): run is WorkflowRun & { errorLine: string } {
  return run.errorLine !== null && (isFailed(run.conclusion) || hasPassed(run));
}

/** After an attempt that failed. */
function hasPassed({ conclusion, attempt }: WorkflowRun): boolean {
  return conclusion === 'success' && attempt > 1;
}

const hideClasses = { wide: 'max-[100rem]:hidden', medium: 'max-[78rem]:hidden' };

/** The class of a cell of the head or of a row. */
export function classOf({ className, hideBelow }: Column): string {
  return hideBelow === undefined ? className : `${className} ${hideClasses[hideBelow]}`;
}

/** The tracks of the grid for each width of the screen, as properties that `run-list.css` reads. */
export const gridTracks = {
  '--run-columns': tracks(columns),
  '--run-columns-medium': tracks(columns.filter(({ hideBelow }) => hideBelow !== 'wide')),
  '--run-columns-narrow': tracks(columns.filter(({ hideBelow }) => hideBelow === undefined)),
} as CSSProperties;

function tracks(list: readonly Column[]): string {
  return list.map(({ width }) => width).join(' ');
}

/** One run. Renders again only for another run object. */
export const RunRow = memo(function RunRow({ run, events }: { run: WorkflowRun; events: RowEvents }) {
  return columns.map((column) => (
    <div key={column.name} role="cell" className={classOf(column)}>
      {column.cell(run, events)}
    </div>
  ));
});

/** A plain link, because the router's link costs more than the rest of the row. */
function RunLink({
  run,
  events,
  children,
  ...props
}: { run: WorkflowRun; events: RowEvents } & Pick<
  ComponentProps<'a'>,
  'className' | 'id' | 'tabIndex' | 'children'
>) {
  return (
    <a
      href={`/integrations/${run.integrationId}/runs/${run.runId}`}
      draggable={false}
      onClick={(event) => events.onOpen(event, run)}
      onFocus={(event) => events.onFocus(event, run)}
      onBlur={events.onBlur}
      {...props}
    >
      {children}
    </a>
  );
}

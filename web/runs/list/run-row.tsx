/* oxlint-disable jsx-a11y/prefer-tag-over-role -- browsers forget that real table elements are a table once these are laid out as a grid */
import GitBranch from 'lucide-react/icons/git-branch';
import { memo, type ComponentProps, type FocusEvent, type MouseEvent } from 'react';
import type { WorkflowRun } from '#contract/monitoring.ts';
import { clip } from '../../ui/text/clip.ts';
import { Duration, TimeAgo } from '../../ui/time/time.tsx';
import { runningSince } from '../run-status.ts';
import { shortRepository, titleOf, workflowOf } from '../run-texts.ts';
import { StatusMark } from '../status-mark.tsx';

/** The name of each column and its class in `app.css`. */
export const columns = [
  ['Status', 'run-status'],
  ['Run', 'run-title'],
  ['Workflow', 'run-workflow'],
  ['Branch', 'run-branch'],
  ['Actor', 'run-actor'],
  ['Event', 'run-event'],
  ['Duration', 'run-duration'],
  ['Started', 'run-started'],
] as const;

/** The events of the row links. One object for all rows, so that rows do not re-render. */
export interface RowEvents {
  onOpen(event: MouseEvent<HTMLAnchorElement>, run: WorkflowRun): void;
  onFocus(event: FocusEvent<HTMLAnchorElement>, run: WorkflowRun): void;
  onBlur(): void;
}

/** One run. Renders again only for another run object. */
export const RunRow = memo(function RunRow({ run, events }: { run: WorkflowRun; events: RowEvents }) {
  return (
    <>
      <div role="cell" className="run-status">
        <StatusMark status={run.status} conclusion={run.conclusion} />
      </div>
      <div role="cell" className="run-title">
        <RunLink run={run} events={events} className="row-link flex min-w-0 gap-1.5" id={`run-${run.runId}`}>
          <bdi className="truncate font-medium">{titleOf(run)}</bdi>
          {run.runNumber !== null && <span className="text-muted">#{run.runNumber}</span>}
        </RunLink>
      </div>
      <div role="cell" className="run-workflow text-muted" title={clip(run.repository)}>
        <bdi>{shortRepository(run)}</bdi> / <bdi>{workflowOf(run)}</bdi>
      </div>
      <div role="cell" className="run-branch text-muted">
        {run.headBranch !== null && (
          <>
            <GitBranch size={13} aria-hidden className="mr-1 inline-block align-[-2px]" />
            <bdi className="font-mono text-xs">{clip(run.headBranch)}</bdi>
          </>
        )}
      </div>
      <div role="cell" className="run-actor text-muted">
        <bdi>{clip(run.triggeringActor ?? run.actor ?? '')}</bdi>
      </div>
      <div role="cell" className="run-event text-muted">
        <bdi>{clip(run.event ?? '')}</bdi>
      </div>
      <div role="cell" className="run-duration">
        <Duration ms={run.durationMs} since={runningSince(run)} />
      </div>
      <div role="cell" className="run-started text-muted">
        {/* Covers the row link, so that its tooltip works. A click opens the run too. */}
        <RunLink run={run} events={events} className="relative z-1" tabIndex={-1}>
          <TimeAgo time={run.startedAt ?? run.createdAt} />
        </RunLink>
      </div>
    </>
  );
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

import GitBranch from 'lucide-react/icons/git-branch';
import type { ReactNode } from 'react';
import type { RunAttempt, WorkflowRun } from '#contract/runs/runs.ts';
import type { RunFacet } from '#contract/runs/run-facets.ts';
import { clip } from '../../ui/text/clip.ts';
import { Duration, TimeAgo } from '../../ui/time/time.tsx';
import { supersededText } from '#contract/runs/conclusions.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import { only } from '#contract/base/value-list.ts';
import { RunLink } from '../run-link.tsx';
import { RunsLink } from '../figure-link.tsx';
import { ShaLink } from '../sha-link.tsx';
import { ForgeLink } from '../forge-link.tsx';
import { quietLink } from '../quiet-link.ts';
import { runningSince } from '../run-status.ts';
import { workflowOf } from '../run-texts.ts';
import { WorkflowLink } from '../workflow-link.tsx';
import { StatusMark } from '../status-mark.tsx';
import { Usual } from './usual/usual.tsx';

/** Status, duration and properties of an attempt. Properties that the list can filter by are links. */
export function RunSummary({
  run,
  attempt,
  usualMs,
}: {
  run: WorkflowRun;
  attempt: RunAttempt;
  usualMs: number | null;
}) {
  return (
    <section aria-label="Summary" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <output aria-label="Status of the run" className="text-base font-semibold">
          <StatusMark status={attempt.status} conclusion={attempt.conclusion} />
        </output>
        {attempt.supersededBy !== null && (
          <RunLink runId={attempt.supersededBy}>{supersededText(run.event)}</RunLink>
        )}
        <span>
          <Duration ms={attempt.durationMs} since={runningSince(attempt)} />
          {usualMs !== null && attempt.conclusion !== 'skipped' && (
            <Usual ms={attempt.durationMs} since={runningSince(attempt)} usualMs={usualMs} isNamed />
          )}
        </span>
        <Start run={run} attempt={attempt} />
        <ForgeLink url={run.url} />
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-1 wrap-anywhere text-muted">
        <span>
          <Named name="Repository">
            <FilterLink name="repository" text={run.repository} />
          </Named>
          {' / '}
          <Named name="Workflow">
            <WorkflowLink repository={run.repository} workflow={run.workflowName} className={quietLink}>
              <bdi>{workflowOf(run)}</bdi>
            </WorkflowLink>
          </Named>
        </span>
        {run.headBranch && (
          <Named name="Branch">
            <GitBranch size={13} aria-hidden className="mr-1 inline-block align-[-2px]" />
            <FilterLink name="branch" text={run.headBranch} />
          </Named>
        )}
        {run.headSha && (
          <Named name="Commit">
            <ShaLink sha={run.headSha} repositoryUrl={repositoryUrl(run.url)} />
          </Named>
        )}
        {run.event && (
          <Named name="Event">
            <FilterLink name="event" text={run.event} />
          </Named>
        )}
      </p>
    </section>
  );
}

/** When the attempt started, who started the run and who asked for a re-run. */
function Start({ run, attempt }: { run: WorkflowRun; attempt: RunAttempt }) {
  const isRerun = attempt.attempt > 1;
  const starter = run.actor ?? (isRerun ? null : attempt.triggeringActor);
  return (
    <span className="text-muted">
      {isRerun ? 're-run' : 'started'} <TimeAgo time={attempt.startedAt ?? run.createdAt} isFocusable />
      {isRerun && attempt.triggeringActor && (
        <>
          {' by '}
          <FilterLink name="actor" text={attempt.triggeringActor} />
        </>
      )}
      {starter && (
        <>
          {isRerun ? ', started by ' : ' by '}
          <FilterLink name="actor" text={starter} />
        </>
      )}
    </span>
  );
}

function Named({ name, children }: { name: string; children: ReactNode }) {
  return (
    <span title={name}>
      <span className="sr-only">{name} </span>
      {children}
    </span>
  );
}

/** Values that the server would refuse as a filter are not linked. */
function FilterLink({ name, text }: { name: RunFacet; text: string }) {
  const shown = <bdi>{clip(text)}</bdi>;
  if (text === '' || text.length > 200) return shown;
  return <RunsLink filter={{ [name]: only(text) }}>{shown}</RunsLink>;
}

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
import { Fact } from '../../ui/text/fact.tsx';
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
  const actor = attempt.triggeringActor ?? run.actor;
  return (
    <section aria-label="Summary" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <output aria-label="Status of the run" className="text-base font-semibold">
          <StatusMark status={attempt.status} conclusion={attempt.conclusion} />
        </output>
        {attempt.supersededBy !== null && (
          <RunLink runId={attempt.supersededBy}>{supersededText(run.event)}</RunLink>
        )}
        <span>
          <Duration ms={attempt.durationMs} since={runningSince(attempt)} />
          {usualMs !== null && (
            <Usual ms={attempt.durationMs} since={runningSince(attempt)} usualMs={usualMs} isNamed />
          )}
        </span>
        <span className="text-muted">
          started <TimeAgo time={attempt.startedAt ?? run.createdAt} isFocusable />
        </span>
        <ForgeLink url={run.url} />
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 md:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)] [&>dd]:truncate">
        <Fact name="Repository">
          <FilterLink name="repository" text={run.repository} />
        </Fact>
        <Fact name="Workflow">
          <WorkflowLink repository={run.repository} workflow={run.workflowName} className={quietLink}>
            <bdi>{workflowOf(run)}</bdi>
          </WorkflowLink>
        </Fact>
        <Fact name="Branch">{run.headBranch && <FilterLink name="branch" text={run.headBranch} />}</Fact>
        <Fact name="Commit">
          {run.headSha && <ShaLink sha={run.headSha} repositoryUrl={repositoryUrl(run.url)} />}
        </Fact>
        <Fact name="Actor">{actor && <FilterLink name="actor" text={actor} />}</Fact>
        <Fact name="Event">{run.event && <FilterLink name="event" text={run.event} />}</Fact>
      </dl>
    </section>
  );
}

/** Values that the server would refuse as a filter are not linked. */
function FilterLink({ name, text }: { name: RunFacet; text: string }) {
  const shown = <bdi>{clip(text)}</bdi>;
  if (text === '' || text.length > 200) return shown;
  return <RunsLink filter={{ [name]: only(text) }}>{shown}</RunsLink>;
}

import { Link } from '@tanstack/react-router';
import type { Home } from '#contract/integrations/home.ts';
import { incidentName, stateLines, triageLines } from '../alerts/incidents/incident-texts.ts';
import { BlameLine } from '../failures/blamed-commits.tsx';
import { CheckStateMark } from '../pull-requests/check-state.tsx';
import { decisionTexts } from '../pull-requests/review-texts.ts';
import { titleOf } from '../runs/run-texts.ts';
import { StatusMark } from '../runs/status-mark.tsx';
import { clip } from '../ui/text/clip.ts';
import { rowLink, type HomeRow } from './home-list.tsx';

/** Gives the name of an integration; null when there is only one. */
export type NameOf = (integrationId: string) => string | null;

function OpenRun({
  integrationId,
  runId,
  children,
}: {
  integrationId: string;
  runId: number;
  children: string;
}) {
  return (
    <Link
      to="/integrations/$integrationId/runs/$runId"
      params={{ integrationId, runId: String(runId) }}
      {...rowLink}
    >
      <bdi>{children}</bdi>
    </Link>
  );
}

export function runRow({ integrationId, run }: Home['failed'][number], nameOf: NameOf): HomeRow {
  const { runId, runNumber, status, conclusion, workflowName, headBranch, repository, errorLine } = run;
  return {
    key: `${integrationId} ${runId}`,
    status: <StatusMark status={status} conclusion={conclusion} />,
    link: (
      <OpenRun integrationId={integrationId} runId={runId}>
        {`${titleOf(run)}${runNumber === null ? '' : ` #${runNumber}`}`}
      </OpenRun>
    ),
    places: [workflowName, repository, headBranch, nameOf(integrationId)],
    errorLine,
    at: run.completedAt ?? run.startedAt ?? run.createdAt,
  };
}

export function redRow(
  { integrationId, workflow: red, incident }: Home['red'][number],
  nameOf: NameOf,
): HomeRow {
  const { workflow, repository, branch, lastRunId, conclusion, failing, since } = red;
  return {
    key: `${integrationId} ${repository} ${workflow}`,
    status: <StatusMark status="completed" conclusion={conclusion} />,
    link: (
      <OpenRun integrationId={integrationId} runId={lastRunId}>
        {clip(workflow === '' ? 'Unnamed workflow' : workflow, 200)}
      </OpenRun>
    ),
    places: [repository, branch, nameOf(integrationId)],
    errorLine: failing?.errorLine ?? null,
    note: (
      <>
        {incident !== null && triageLines(incident).join(', ')}
        {red.candidates.length > 0 && (
          <span className="block">
            First bad commit: <BlameLine blame={red} />
          </span>
        )}
      </>
    ),
    at: since,
  };
}

export function incidentRow({ integrationId, incident }: Home['waiting'][number], nameOf: NameOf): HomeRow {
  const { incidentId, repository, lastFailure, failing, openedAt } = incident;
  const isFailure = incident.kind === 'failure';
  return {
    key: incidentId,
    status: (
      <StatusMark status="completed" conclusion={isFailure ? lastFailure.conclusion : 'action_required'} />
    ),
    link: (
      <OpenRun integrationId={integrationId} runId={lastFailure.runId}>
        {clip(incidentName(incident), 200)}
      </OpenRun>
    ),
    places: [repository, nameOf(integrationId)],
    errorLine: isFailure ? (failing?.errorLine ?? null) : lastFailure.name,
    note: stateLines(incident).join(', '),
    at: openedAt,
  };
}

export function pullRequestRow(
  { integrationId, pullRequest }: Home['pullRequests'][number],
  nameOf: NameOf,
): HomeRow {
  const { repository, number, title, headBranch, checks, review, updatedAt } = pullRequest;
  return {
    key: `${integrationId} ${repository} ${number}`,
    status: <CheckStateMark checks={checks} />,
    link: (
      <Link
        to="/integrations/$integrationId/pull-requests/$number"
        params={{ integrationId, number: String(number) }}
        search={{ repository }}
        {...rowLink}
      >
        <bdi>{clip(title ?? 'Pull request')}</bdi> <span className="font-normal text-muted">#{number}</span>
      </Link>
    ),
    places: [repository, headBranch, nameOf(integrationId)],
    errorLine: checks.errorLine,
    note: review !== null && decisionTexts[review],
    at: updatedAt,
  };
}

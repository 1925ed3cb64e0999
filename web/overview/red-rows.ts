import type { Incident } from '#contract/alerts/incidents.ts';
import { maxCountedRuns } from '#contract/failures/failures.ts';
import type { FailingJob } from '#contract/failures/red-workflow.ts';
import type { Blame } from '#contract/failures/blame.ts';
import type { Attention } from '#contract/metrics/overview.ts';
import {
  failureCounts,
  incidentName,
  incidentProblem,
  incidentTitle,
} from '../alerts/incidents/incident-texts.ts';
import { conclusionWord } from '../runs/run-status.ts';
import { withoutIncident } from './attention.ts';

/** Something that is broken, with an incident or without one. */
export interface RedRow {
  /** Also the id of its link. */
  key: string;
  title: string;
  /** For the names of buttons. */
  name: string;
  repository: string;
  branch: string | null;
  /** The newest failed run. */
  runId: number;
  /** What is wrong when no failed job is known. */
  problem: string;
  failing: FailingJob | null;
  /** Undefined where no commit is the cause. */
  commits: Blame | undefined;
  since: string;
  /** False when it broke before `since`. */
  isSinceKnown: boolean;
  /** How often it failed since then. */
  count: string;
  /** Undefined for some seconds after the first failure. */
  incident: Incident | undefined;
}

/** Incidents, then the failing workflows that none of those on screen is about. */
export function redRows(incidents: readonly Incident[], attention: readonly Attention[]): RedRow[] {
  return [...incidents.map(ofIncident), ...withoutIncident(attention, incidents).map(ofWorkflow)];
}

function ofIncident(incident: Incident): RedRow {
  const { kind, lastFailure } = incident;
  const isFailure = kind === 'failure';
  return {
    key: incident.incidentId,
    title: incidentTitle(incident),
    name: incidentName(incident),
    repository: incident.repository,
    branch: incident.branch,
    runId: lastFailure.runId,
    problem: incidentProblem(incident),
    failing: isFailure ? incident.failing : null,
    commits: isFailure ? blameOf(incident) : undefined,
    since: incident.openedAt,
    isSinceKnown: true,
    count: isFailure ? failureCounts(incident) : '',
    incident,
  };
}

function ofWorkflow(row: Attention): RedRow {
  const { workflow, repository, branch, lastRunId, conclusion, failures } = row;
  const title = workflow === '' ? 'Unnamed workflow' : workflow;
  const most = failures >= maxCountedRuns && !row.sinceIsKnown ? '+' : '';
  return {
    key: `run-${lastRunId}`,
    title,
    name: branch === null ? title : `${title} on ${branch}`,
    repository,
    branch,
    runId: lastRunId,
    problem: conclusionWord(conclusion),
    failing: row.failing,
    commits: blameOf(row),
    since: row.since,
    isSinceKnown: row.sinceIsKnown,
    count: failures === 1 ? '1 run' : `${failures}${most} runs`,
    incident: undefined,
  };
}

function blameOf({ firstBad, candidates, noBlame, lastGreen, repositoryUrl }: Blame): Blame {
  return { firstBad, candidates, noBlame, lastGreen, repositoryUrl };
}

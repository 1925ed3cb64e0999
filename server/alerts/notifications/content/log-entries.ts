import type { NotificationKind } from '#contract/alerts/incidents.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import type { OpenIncident } from '#server/alerts/incidents/incident-reducer.ts';
import type { Completion } from '#server/alerts/rules/matching-rules.ts';
import { capped, durationText } from './texts.ts';

type Place = Pick<Completion, 'repository' | 'workflow' | 'branch'>;

export function placeText({ repository, workflow, branch }: Place): string {
  const name = capped(workflow ?? 'A workflow', 100);
  const where = branch === null ? '' : ` on ${capped(branch, 100)}`;
  return `${name} in ${capped(repository, 140)}${where}`;
}

export function incidentOpenedEntry(integrationId: string, incident: OpenIncident): LogEntry {
  return {
    integrationId,
    type: 'incident.opened',
    severity: 'error',
    title: `${placeText(incident.first)} is red`,
    details: detailsOf(incident),
  };
}

export function incidentClosedEntry(
  integrationId: string,
  incident: OpenIncident,
  by: Completion,
  redMs: number,
): LogEntry {
  return {
    integrationId,
    type: 'incident.closed',
    title: `${placeText(incident.first)} is green again after ${durationText(redMs)}`,
    details: { ...detailsOf(incident), redMs, closedByRunId: by.runId },
  };
}

function detailsOf({ incidentId, first, failedRuns, failedJobs }: OpenIncident): Record<string, unknown> {
  const { repository, workflow, branch, runId, attempt, conclusion } = first;
  return { incidentId, repository, workflow, branch, runId, attempt, conclusion, failedRuns, failedJobs };
}

export function notificationEntry(
  integrationId: string,
  message: {
    ruleId: string;
    ruleName: string;
    incidentId: string | null;
    kind: NotificationKind;
    target: string;
  },
  problem: string | null,
): LogEntry {
  const { ruleId, ruleName, incidentId, kind, target } = message;
  const name = capped(ruleName, 100);
  return {
    integrationId,
    type: problem === null ? 'alert.sent' : 'alert.failed',
    severity: problem === null ? 'info' : 'warning',
    title:
      problem === null ? `“${name}” notified ${target}` : `“${name}” could not notify ${target}: ${problem}`,
    details: { ruleId, incidentId, kind, target },
  };
}

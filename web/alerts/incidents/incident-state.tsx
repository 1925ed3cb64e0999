import type { Incident } from '#contract/alerts/incidents.ts';
import { clockTime } from '../../ui/time/time.tsx';

/** Who works on the incident, and how it was closed. */
export function IncidentState({ incident }: { incident: Incident }) {
  const lines = stateLines(incident);
  if (lines.length === 0) return null;
  return (
    <span className="text-xs">
      {lines.map((line) => (
        <bdi key={line} className="block">
          {line}
        </bdi>
      ))}
    </span>
  );
}

function stateLines(incident: Incident): string[] {
  const { acknowledged, assignee, snoozedUntil, closeReason, closedBy, closeNote, status } = incident;
  if (status === 'closed') {
    if (closeReason === 'pull_request_closed') return ['Closed with its pull request'];
    if (closeReason !== 'closed') return [];
    return [`Closed by ${nameOf(closedBy)}`, ...(closeNote === null ? [] : [closeNote])];
  }
  return [
    ...(assignee === null ? [] : [`Assigned to ${nameOf(assignee)}`]),
    ...(acknowledged === null ? [] : [`Acknowledged by ${nameOf(acknowledged.by)}`]),
    ...(snoozedUntil === null ? [] : [`Snoozed until ${clockTime(Date.parse(snoozedUntil))}`]),
  ];
}

const nameOf = (person: Incident['assignee']): string => person?.name ?? 'somebody';

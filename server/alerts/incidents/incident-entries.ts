import type { IncidentChange } from '#contract/alerts/incidents.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import { placeText } from '#server/alerts/notifications/content/log-entries.ts';
import type { IncidentRow } from './reading/incident-list-store.ts';

type Entry = Pick<LogEntry, 'type' | 'title' | 'details'>;

/** The log entries of a person's change: one for each thing that is done or undone. */
export function entriesOfChange(
  before: IncidentRow,
  { acknowledged, assigneeId, snoozedUntil, status, note }: IncidentChange,
  assignee: string | undefined,
): Entry[] {
  const place = placeText(before);
  const { incident_id: incidentId, repository, workflow, branch } = before;
  const entry = (type: Entry['type'], change: string, more: Record<string, unknown> = {}): Entry => ({
    type,
    title: `The incident of ${place} was ${change}`,
    details: { incidentId, repository, workflow, branch, ...more },
  });
  return [
    ...(acknowledged === undefined || acknowledged === (before.acknowledged_at !== null)
      ? []
      : [entry('incident.acknowledged', acknowledged ? 'acknowledged' : 'set to not acknowledged')]),
    ...(assigneeId === undefined || assigneeId === before.assignee_id
      ? []
      : [
          entry(
            'incident.assigned',
            assignee === undefined ? 'unassigned' : `assigned to ${assignee}`,
            assigneeId === null ? {} : { assigneeId },
          ),
        ]),
    ...(snoozedUntil === undefined ? [] : [snoozeEntry(entry, snoozedUntil)]),
    ...(status === 'closed'
      ? [entry('incident.closed', 'closed', { reason: 'closed', ...(note === undefined ? {} : { note }) })]
      : []),
    ...(status === 'open' ? [entry('incident.reopened', 'reopened')] : []),
  ];
}

function snoozeEntry(
  entry: (type: Entry['type'], change: string, more?: Record<string, unknown>) => Entry,
  until: string | null,
): Entry {
  if (until === null) return entry('incident.snoozed', 'taken out of snooze');
  const time = new Date(until).toISOString();
  const text = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  return entry('incident.snoozed', `snoozed until ${text}`, { snoozedUntil: time });
}

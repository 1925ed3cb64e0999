import type { Incident, IncidentChange } from '#contract/alerts/incidents.ts';

/** What a person does to an incident. */
export type Change = Omit<IncidentChange, 'version'>;

/** The change that takes `change` back. `before` is the incident before it. */
export function undoOf(before: Incident, change: Change, now: number): Change {
  const { acknowledged, assigneeId, snoozedUntil, status } = change;
  const { snoozedUntil: until } = before;
  return {
    ...(acknowledged === undefined ? {} : { acknowledged: before.acknowledged !== null }),
    ...(assigneeId === undefined ? {} : { assigneeId: before.assignee?.userId ?? null }),
    ...(snoozedUntil === undefined
      ? {}
      : { snoozedUntil: until !== null && Date.parse(until) > now ? until : null }),
    ...(status === undefined ? {} : { status: status === 'closed' ? 'open' : 'closed' }),
  };
}

/** The message after the change. */
export function doneText({ acknowledged, assigneeId, snoozedUntil, status }: Change): string {
  if (status !== undefined) return status === 'closed' ? 'Incident closed' : 'Incident reopened';
  if (acknowledged !== undefined) return acknowledged ? 'Incident acknowledged' : 'Acknowledgement removed';
  if (assigneeId !== undefined) return assigneeId === null ? 'Incident unassigned' : 'Incident assigned';
  return snoozedUntil === null ? 'Snooze ended' : 'Incident snoozed';
}

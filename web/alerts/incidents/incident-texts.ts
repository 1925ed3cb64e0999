import type { Incident, Triage } from '#contract/alerts/incidents.ts';
import { conclusionWord } from '../../runs/run-status.ts';
import { formatCount } from '../../ui/locale.ts';
import { clockTime } from '../../ui/time/exact-time.ts';

/** What an incident is about, without its branch. */
export function incidentTitle({ kind, subject, workflow }: Incident): string {
  if (kind === 'queued_too_long') return `Queue of ${subject}`;
  if (kind === 'test_broken' || kind === 'test_flaky') return subject ?? 'A test';
  return workflow ?? 'Unnamed workflow';
}

/** What an incident is about, for the names of buttons and dialogs. */
export function incidentName({ kind, subject, workflow, branch }: Incident): string {
  if (kind === 'queued_too_long') return `the queue of ${subject}`;
  if (kind === 'test_broken' || kind === 'test_flaky') return `the test ${subject}`;
  const name = workflow ?? 'Unnamed workflow';
  return branch === null ? name : `${name} on ${branch}`;
}

/** What is wrong when no failed job is known. */
export function incidentProblem({ kind, lastFailure }: Pick<Incident, 'kind' | 'lastFailure'>): string {
  return kind === 'failure' ? conclusionWord(lastFailure.conclusion) : (lastFailure.name ?? '');
}

/** Who works on the incident, or how it was closed. */
export function stateLines(incident: Incident, now = Date.now()): string[] {
  const { closeReason, closedBy, closeNote, quarantinedUntil, status } = incident;
  if (status === 'closed') {
    if (closeReason === 'pull_request_closed') return ['Closed with its pull request'];
    if (closeReason === 'default_branch_changed')
      return ['Closed when another branch became the default branch'];
    if (closeReason === 'base_branch_changed')
      return ['Closed when its pull request got another base branch'];
    if (closeReason === 'hidden') return [`Closed when ${nameOf(closedBy)} hid the workflow`];
    if (closeReason === 'superseded') return ['Closed because a newer run superseded the failed one'];
    if (quarantinedUntil !== undefined)
      return [`Quarantined until ${clockTime(Date.parse(quarantinedUntil), now)}`];
    if (closeReason !== 'closed') return [];
    return [`Closed by ${nameOf(closedBy)}`, ...(closeNote === null ? [] : [closeNote])];
  }
  return triageLines(incident, now);
}

/** Who works on an open incident. */
export function triageLines(incident: Triage, now = Date.now()): string[] {
  const { acknowledged, assignee, snoozedUntil, owner } = incident;
  const isNew = acknowledged === null && assignee === null && snoozedUntil === null;
  return [
    ...(isNew ? ['Unacknowledged'] : []),
    ...(assignee === null ? [] : [`Assigned to ${nameOf(assignee)}`]),
    ...(acknowledged === null ? [] : [`Acknowledged by ${nameOf(acknowledged.by)}`]),
    ...(snoozedUntil === null ? [] : [`Snoozed until ${clockTime(Date.parse(snoozedUntil), now)}`]),
    ...(owner === null ? [] : [`Owned by ${owner.email ?? owner.name ?? 'somebody'}`]),
  ];
}

const nameOf = (person: Incident['assignee']): string => person?.name ?? 'somebody';

/** The failed runs and jobs, for example `2 runs, 1 job`. */
export function failureCounts({
  failedRuns,
  failedJobs,
}: Pick<Incident, 'failedRuns' | 'failedJobs'>): string {
  return [
    ...(failedRuns === 0 ? [] : [formatCount(failedRuns, 'run')]),
    ...(failedJobs === 0 ? [] : [formatCount(failedJobs, 'job')]),
  ].join(', ');
}

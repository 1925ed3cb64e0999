import { supersededText } from '#contract/runs/conclusions.ts';
import type { Fact } from '#server/mail/facts-mail.ts';
import type { Digest } from '#contract/alerts/digest.ts';
import type { Failure, NotificationKind } from '#contract/alerts/incidents.ts';
import type { IncidentFacts, NotifiedReason } from '#contract/alerts/incident-payloads.ts';
import type { Blame } from '#contract/failures/blame.ts';
import { blameText } from '#contract/failures/blame-text.ts';
import { isTestWatch } from '#server/alerts/watches/test-changes.ts';
import { placeText } from './log-entries.ts';
import { incidentObject, type FactColumns } from '#server/alerts/incidents/reading/incident-object.ts';
import { reasonFacts } from './reason-facts.ts';
import { watchTitle } from './watch-texts.ts';
import { capped, countText, durationText, linkOf } from './texts.ts';

/** The content of a notification as plain text of bounded length. Each channel escapes it for its target. */
export interface NotificationContent {
  /** Stays the same if the notification is sent twice, so that a receiver can detect it. */
  notificationId: string;
  kind: NotificationKind;
  integrationId: string;
  ruleName: string;
  title: string;
  facts: Fact[];
  link: string | null;
  /** The failure that matched the rule: not always the first or last one of the incident. */
  failure: Failure | null;
  /** Why it failed; null when that is not known. */
  reason: NotifiedReason | null;
  /** Which commit made the workflow red; null when it is green again, or not known. */
  blame: Blame | null;
  incident: IncidentFacts | null;
  /** Only of a digest. */
  digest?: Digest;
}

/** Kinds of notifications about an incident. */
type IncidentNotificationKind = Exclude<NotificationKind, 'digest' | 'test'>;

type Head = Pick<NotificationContent, 'notificationId' | 'integrationId' | 'ruleName'>;

export function incidentContent(
  head: Head,
  kind: IncidentNotificationKind,
  row: FactColumns,
  failure: Failure,
  {
    reason = null,
    blame = null,
    link = linkOf(failure.url),
  }: { reason?: NotifiedReason | null; blame?: Blame | null; link?: string | null } = {},
): NotificationContent {
  const cause = blame === null ? undefined : blameText(blame);
  const incident = incidentObject(row);
  const place = placeText(incident);
  const counts = [
    ...(incident.failedJobs > 0 ? [countText(incident.failedJobs, 'failed job')] : []),
    ...(incident.failedRuns > 0 ? [countText(incident.failedRuns, 'failed run')] : []),
  ].join(', ');
  return {
    ...head,
    kind,
    title:
      incident.kind === 'failure'
        ? titleOf(kind, place, failure, incident.redMs ?? 0)
        : watchTitle(incident, kind === 'recovered' ? 'Is fine again' : (failure.name ?? '')),
    facts: [
      ...(incident.kind === 'failure'
        ? [
            { name: 'Failure', value: failureText(failure) },
            ...reasonFacts(reason, failure),
            ...(cause === undefined ? [] : [{ name: 'First bad commit', value: capped(cause, 150) }]),
            { name: 'Failures in all', value: counts },
          ]
        : workflowFacts(incident)),
      ...(failure.actor === null ? [] : [{ name: 'Started by', value: capped(failure.actor, 100) }]),
      { name: sinceName(incident, kind), value: incident.openedAt, isTime: true },
      { name: 'Rule', value: capped(head.ruleName, 100) },
    ],
    link,
    failure,
    reason,
    blame,
    incident,
  };
}

/** Of tests, whose titles do not name it. */
function workflowFacts({ kind, workflow, branch }: IncidentFacts): Fact[] {
  if (workflow === null || !isTestWatch(kind)) return [];
  return [{ name: 'Workflow', value: capped(branch === null ? workflow : `${workflow} on ${branch}`, 200) }];
}

function sinceName({ kind }: IncidentFacts, notification: IncidentNotificationKind): string {
  if (kind === 'failure') return 'Red since';
  return notification === 'recovered' ? 'Began' : 'Since';
}

function titleOf(
  kind: IncidentNotificationKind,
  place: string,
  { conclusion }: Failure,
  redMs: number,
): string {
  const isSuperseded = conclusion === 'superseded' && kind !== 'recovered';
  return isSuperseded ? `${place} was ${supersededText('push')}` : titles[kind](place, redMs);
}

const titles = {
  opened: (place: string) => `${place} is red`,
  repeated: (place: string) => `${place} failed again`,
  recovered: (place: string, redMs: number) => `${place} is green again after ${durationText(redMs)}`,
};

/** A test notification shows whether a channel works. */
export function testContent(head: Head, publicUrl: string): NotificationContent {
  return {
    ...head,
    kind: 'test',
    title: 'This is a test message of Forgewatch',
    facts: [{ name: 'Rule', value: capped(head.ruleName, 100) }],
    link: linkOf(publicUrl),
    failure: null,
    reason: null,
    blame: null,
    incident: null,
  };
}

function failureText({ event, name, conclusion, runId, attempt }: Failure): string {
  const what = name === null ? `${event} ${runId}` : `${event} “${capped(name, 150)}”`;
  const how = conclusion === 'superseded' ? supersededText('push') : capped(conclusion, 50);
  return `${what}: ${how}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}

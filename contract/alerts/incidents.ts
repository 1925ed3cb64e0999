import { Type, type Static } from 'typebox';
import { Owner } from './workflow-owners.ts';
import { channelTypes, incidentKinds, ruleEvents } from './alerts.ts';
import { FailingJob } from '../failures/red-workflow.ts';
import { Blame } from '../failures/blame.ts';
import { nullable, oneLine, pageOf, pageQuery, Time, TimeInput, Uuid, strictObject } from '../base/schema.ts';

/** A run or job that failed, or that shows what did not happen: then the conclusion is the kind of the incident. */
export const Failure = Type.Object({
  event: Type.Enum([...ruleEvents]),
  runId: Type.Integer(),
  attempt: Type.Integer(),
  jobId: nullable(Type.Integer()),
  /** The name of the job, or the title of the run. What did not happen, in a sentence. */
  name: nullable(Type.String()),
  conclusion: Type.String(),
  actor: nullable(Type.String()),
  url: nullable(Type.String()),
  at: Time,
  /** Of `test_broken` and `test_flaky`: the test, if only one changed in the run. */
  testId: Type.Optional(Uuid),
});
export type Failure = Static<typeof Failure>;

/** The name is null when the person is gone. */
const IncidentPerson = Type.Object({ userId: Uuid, name: nullable(Type.String()) });

/**
 * Why an incident closed: the workflow succeeded, a person closed it, the pull request of its branch was closed or merged, another branch
 * became the default branch, the pull request of the merge queue got another base branch, a person hid the workflow, a newer run superseded the failed one, as the forge reported later, or its tests are
 * in quarantine.
 */
export const closeReasons = [
  'recovered',
  'closed',
  'pull_request_closed',
  'default_branch_changed',
  'base_branch_changed',
  'hidden',
  'superseded',
  'quarantined',
] as const;

/** A workflow that is or was broken on a branch: on a default branch always, on other branches if a rule matched. */
export const Incident = Type.Object({
  incidentId: Uuid,
  /** What is wrong: a workflow failed, or what a rule watches that did not happen. */
  kind: Type.Enum([...incidentKinds]),
  /** The label of `queued_too_long`, the job of `got_slower`, or the first test of `test_broken` and `test_flaky`. */
  subject: nullable(Type.String()),
  repository: Type.String(),
  workflow: nullable(Type.String()),
  branch: nullable(Type.String()),
  status: Type.Enum(['open', 'closed']),
  failedRuns: Type.Integer(),
  failedJobs: Type.Integer(),
  firstFailure: Failure,
  lastFailure: Failure,
  /** When it broke: the end of the first failure. */
  openedAt: Time,
  /** When it recovered, and by which run. */
  closedAt: nullable(Time),
  closedByRunId: nullable(Type.Integer()),
  closeReason: nullable(Type.Enum([...closeReasons])),
  /** The person who closed it, and why. */
  closedBy: nullable(IncidentPerson),
  closeNote: nullable(Type.String()),
  /** Of `quarantined`: the end of the quarantine, as planned when the incident closed. */
  quarantinedUntil: Type.Optional(Time),
  /** How long it was broken; for an open incident, until now. */
  redMs: Type.Integer(),
  /** Incremented by each action of a person. A change must name the version that it is based on. */
  version: Type.Integer(),
  /** Somebody is working on it: reminders are not sent. */
  acknowledged: nullable(Type.Object({ by: nullable(IncidentPerson), at: Time })),
  assignee: nullable(IncidentPerson),
  /** Reminders are not sent until then. Null when that time has passed. */
  snoozedUntil: nullable(Time),
  /** Of the workflow at this moment. */
  owner: nullable(Owner),
  /** The first failed job of the last failure. This and the next four are null or empty for a closed incident. */
  failing: nullable(FailingJob),
  /** Of the last failure. All are null or empty when its run is not stored any more. */
  ...Blame.properties,
});
export type Incident = Static<typeof Incident>;

export const IncidentPage = pageOf(Incident);

/** Who works on an open incident. */
export const Triage = Type.Pick(Incident, [
  'incidentId',
  'status',
  'version',
  'acknowledged',
  'assignee',
  'snoozedUntil',
  'owner',
]);
export type Triage = Static<typeof Triage>;

/** The longest snooze. */
export const mostSnoozeDays = 30;

/** Everything that people can change. Omitted fields stay. */
export const IncidentChange = strictObject({
  /** The version that the person saw. A change of another version is refused with 409. */
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  acknowledged: Type.Optional(Type.Boolean()),
  /** A member; null for nobody. */
  assigneeId: Type.Optional(nullable(Uuid)),
  /** In the future, at most `mostSnoozeDays` days; null ends the snooze. */
  snoozedUntil: Type.Optional(nullable(TimeInput)),
  /** `open` reopens an incident that a person closed. */
  status: Type.Optional(Type.Enum(['open', 'closed'])),
  /** Why it is closed. */
  note: Type.Optional(oneLine(500)),
});
export type IncidentChange = Static<typeof IncidentChange>;

export const incidentViews = ['mine', 'unacknowledged'] as const;

export const IncidentQuery = strictObject({
  ...pageQuery,
  status: Type.Optional(Type.Enum(['open', 'closed'])),
  repository: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  /** The workflow's name. */
  workflow: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  /** `mine`: assigned to the caller, else acknowledged by them, else of a workflow that they own. `unacknowledged`: neither acknowledged nor snoozed. */
  show: Type.Optional(Type.Enum([...incidentViews])),
});
export type IncidentQuery = Static<typeof IncidentQuery>;

/** `repeated`: a later failure of an incident, for a rule with `every_failure`. `digest`: about a week and no incident. */
const notificationKinds = ['opened', 'repeated', 'recovered', 'digest', 'test'] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** `held_back`: suppressed, because the branch recovered before the end of the cooldown. */
const notificationStatuses = ['waiting', 'sent', 'failed', 'held_back'] as const;
export type NotificationStatus = (typeof notificationStatuses)[number];

/** One notification to one channel, sent, waiting or suppressed. */
export const Notification = Type.Object({
  notificationId: Uuid,
  kind: Type.Enum([...notificationKinds]),
  status: Type.Enum([...notificationStatuses]),
  /** Null for a test message. */
  incidentId: nullable(Uuid),
  channelType: Type.Enum([...channelTypes]),
  /** The host of the URL, or the addresses. */
  target: Type.String(),
  /** From the incident, for display; null for a test message. */
  repository: nullable(Type.String()),
  workflow: nullable(Type.String()),
  branch: nullable(Type.String()),
  /** The status code of the receiver, or of a mail server that refused; otherwise null. */
  statusCode: nullable(Type.Integer()),
  /** The reason of a failure, for people. */
  problem: nullable(Type.String()),
  createdAt: Time,
  sentAt: nullable(Time),
});
export type Notification = Static<typeof Notification>;

export const NotificationPage = pageOf(Notification);

export const NotificationQuery = strictObject(pageQuery);

import { Type, type Static } from 'typebox';
import { channelTypes, ruleEvents } from './alerts.ts';
import { nullable, pageOf, pageQuery, Time, Uuid } from '../base/schema.ts';

/** A run or job that failed. */
export const Failure = Type.Object({
  event: Type.Enum([...ruleEvents]),
  runId: Type.Integer(),
  attempt: Type.Integer(),
  jobId: nullable(Type.Integer()),
  /** The name of the job, or the title of the run. */
  name: nullable(Type.String()),
  conclusion: Type.String(),
  actor: nullable(Type.String()),
  url: nullable(Type.String()),
  at: Time,
});
export type Failure = Static<typeof Failure>;

/** A workflow that is or was broken on a branch. */
export const Incident = Type.Object({
  incidentId: Uuid,
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
  /** How long it was broken; for an open incident, until now. */
  redMs: Type.Integer(),
});
export type Incident = Static<typeof Incident>;

export const IncidentPage = pageOf(Incident);

export const IncidentQuery = Type.Object(
  {
    ...pageQuery,
    status: Type.Optional(Type.Enum(['open', 'closed'])),
    repository: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { additionalProperties: false },
);
export type IncidentQuery = Static<typeof IncidentQuery>;

/** `repeated`: a later failure of an incident, for a rule with `every_failure`. */
const notificationKinds = ['opened', 'repeated', 'recovered', 'test'] as const;
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

export const NotificationQuery = Type.Object(pageQuery, { additionalProperties: false });

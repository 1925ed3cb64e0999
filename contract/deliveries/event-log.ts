import { Type, type Static } from 'typebox';
import { nullable, pageQuery, Time, Uuid, TimeInput, strictObject } from '../base/schema.ts';

/** Types of event log entries. The text before the dot is the group, for filters. */
export const entryTypes = [
  'run.failed',
  'run_action.rerun',
  'run_action.cancelled',
  'dead_letters',
  'dead_letters.redriven',
  'dead_letters.dropped',
  'tasks.retried',
  'tasks.dropped',
  'deliveries.rejected',
  'deliveries.replayed',
  'repository.default_branch_changed',
  'repository.renamed',
  'repository.workflow_renamed',
  'repository.owner_changed',
  'repository.workflow_hidden',
  'repository.workflow_shown',
  'integration.created',
  'integration.log_access_changed',
  'integration.report_artifacts_changed',
  'integration.price_changed',
  'integration.deployments_declared',
  'integration.renamed',
  'integration.secret_rotated',
  'integration.events_changed',
  'integration.sample_data_removed',
  'integration.ownership_transferred',
  'integration.quota_exceeded',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.left',
  'token.created',
  'token.revoked',
  'token.used',
  'share_link.created',
  'share_link.revoked',
  'badge.created',
  'badge.removed',
  'trace_export.saved',
  'trace_export.removed',
  'trace_export.failing',
  'trace_export.recovered',
  'trace_export.dropped',
  'invitation.created',
  'invitation.resent',
  'invitation.revoked',
  'invitation.mail_failed',
  'forge_connection.saved',
  'forge_connection.removed',
  'forge_connection.repositories_chosen',
  'forge_connection.expires',
  'forge_app.linked',
  'forge_app.unlinked',
  'forge_app.uninstalled',
  'forge_app.history_read',
  'forge_app.runs_corrected',
  'test_report.dropped',
  'test.quarantined',
  'test.quarantine_ended',
  'deployment.marked',
  'failure.status_changed',
  'failure.log_unreadable',
  'failure.groups_removed',
  'rule.created',
  'rule.changed',
  'rule.deleted',
  'rule.tested',
  'incident.opened',
  'incident.closed',
  'incident.acknowledged',
  'incident.assigned',
  'incident.snoozed',
  'incident.reopened',
  'incident.removed',
  'alert.sent',
  'alert.failed',
  'alert.person_notified',
  'alert.person_not_notified',
  'webhook_subscription.created',
  'webhook_subscription.changed',
  'webhook_subscription.secret_rotated',
  'webhook_subscription.deleted',
  'webhook_subscription.failing',
  'webhook_subscription.recovered',
  'webhook_subscription.disabled',
  'outgoing_webhook.replayed',
] as const;
export type EntryType = (typeof entryTypes)[number];
/** The text of a type before the dot. */
export type EntryGroup = EntryType extends infer Type
  ? Type extends `${infer Group}.${string}`
    ? Group
    : Type
  : never;

export const severities = ['info', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];

export const LogEntry = Type.Object({
  entryId: Uuid,
  at: Time,
  type: Type.Enum([...entryTypes]),
  severity: Type.Enum([...severities]),
  /** A whole sentence. */
  title: Type.String(),
  /** Who did it; null for the service itself. The name is null when the person is gone. */
  actor: nullable(Type.Object({ userId: Uuid, name: nullable(Type.String()) })),
  /** Whom and what it was done to; what is in it depends on the type. */
  details: Type.Record(Type.String(), Type.Unknown()),
  /** By the caller. What does not concern them counts as read, and what happened before they joined. */
  read: Type.Boolean(),
});
export type LogEntry = Static<typeof LogEntry>;

/** Counting unread entries ends here: show it as "999+". */
export const maxUnread = 1000;

export const LogEntryPage = Type.Object({
  items: Type.Array(LogEntry),
  nextCursor: nullable(Type.String()),
  /** Entries that concern the caller, of the whole log, whatever the filters; at most `maxUnread`. */
  unread: Type.Integer(),
});
export type LogEntryPage = Static<typeof LogEntryPage>;

const list = Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }));

export const EventLogQuery = strictObject({
  ...pageQuery,
  /** Types or their groups, such as `member`, comma-separated. */
  type: list,
  /** Severities, comma-separated. */
  severity: list,
  from: Type.Optional(TimeInput),
  to: Type.Optional(TimeInput),
  /** Only what concerns the caller and they have not read. */
  unread: Type.Optional(Type.Boolean()),
  /** Words in the title or in the name of who did it. */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});
export type EventLogQuery = Static<typeof EventLogQuery>;

export const MarkEntryBody = strictObject({ read: Type.Boolean() });

export const MarkAllReadBody = strictObject({
  /**
   * The newest entry that was on screen, so that none is marked unseen; default: everything. What a filter left out is
   * marked too.
   */
  upTo: Type.Optional(TimeInput),
});

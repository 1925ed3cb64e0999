import type { Tx } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { awaitsReason, readReason } from '#server/alerts/reasons/read-reason.ts';
import { isTestWatch } from '#server/alerts/watches/test-changes.ts';
import { readShownNames } from '#server/runs/names/shown-names.ts';
import { retryPreparing, type Task, type TaskKind, type TurnEnd } from '#server/tasks/task.ts';
import { recordSent } from '#server/outgoing-webhooks/sending/record-sent.ts';
import { notificationEntry } from './content/log-entries.ts';
import { digestContent } from './content/digest-content.ts';
import { incidentContent } from './content/notification-content.ts';
import { testUrl } from './content/watch-texts.ts';
import {
  findNotification,
  notificationTask,
  settleNotification,
  suppressNotification,
  type NotificationDetails,
} from './notification-store.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { sendNotification, type SendDeps, type DeliveryResult } from './send-notification.ts';
import { findOwnerAddress } from '#server/workflow-owners/stored-owner.ts';
import { findChannel, type ChannelRow } from '#server/alerts/rules/rule-store.ts';

export interface DispatcherDeps extends SendDeps {
  log: Log;
  policy: AlertPolicy;
  count(outcome: 'sent' | 'failed'): void;
}

/**
 * Sends pending notifications in parallel, so a receiver that hangs delays only its own integration. A notification that
 * fails is not retried: a late alert is worth less than a clear failure in the event log. If a process dies, the next one
 * sends its notifications, and may send one a second time with the same id.
 */
export function notificationTasks(deps: DispatcherDeps): TaskKind {
  const { policy } = deps;
  return {
    name: notificationTask,
    quickPlaces: policy.quickPlaces,
    slowPlaces: policy.slowPlaces,
    perIntegration: policy.perIntegration,
    longestMs: policy.longestSendMs,
    // A message to a chat channel must not arrive twice.
    givesWay: false,
    handle: (task, turn) => sendOne(deps, task, turn.signal),
    planRetry: retryPreparing('notification'),
  };
}

async function sendOne(
  deps: DispatcherDeps,
  { integrationId, key: notificationId }: Task,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const found = await deps.db.withScope({ integrationId }, async (tx) => {
    const notification = await findNotification(tx, integrationId, notificationId);
    if (notification?.status !== 'waiting') return 'done';
    if (notification.is_obsolete && notification.incident !== null) {
      await suppressNotification(tx, integrationId, notificationId);
      return 'done';
    }
    if (notification.must_wait || (await mustAwaitReason(deps, tx, integrationId, notification)))
      return 'later';
    const [names, channel] = await Promise.all([
      readShownNames(tx, [integrationId]),
      findReceiver(tx, integrationId, notification),
    ]);
    return { notification: names.show(integrationId, notification), channel };
  });
  if (found === 'done') return found;
  if (found === 'later') return { again: deps.policy.lookAgainMs };
  const due = { integrationId, notificationId };
  const outcome = await sendFound(deps, due, found.notification, found.channel, signal);
  // It was not the receiver that ended the call: another turn sends it.
  if (!outcome.sent) signal.throwIfAborted();
  await settle(deps, due, found.notification, outcome);
  return 'done';
}

/** The channel of the notification. That of the owner becomes a mail to the person or address that owns the workflow at this moment. */
async function findReceiver(
  tx: Tx,
  integrationId: string,
  { channel_id: channelId, incident }: NotificationDetails,
): Promise<ChannelRow | 'no owner' | undefined> {
  const channel = await findChannel(tx, integrationId, channelId);
  if (channel?.type !== 'owner') return channel;
  const address = incident === null ? undefined : await findOwnerAddress(tx, integrationId, incident);
  return address === undefined ? 'no owner' : { ...channel, type: 'email', recipients: [address] };
}

interface Due {
  integrationId: string;
  notificationId: string;
}

async function mustAwaitReason(
  { policy }: DispatcherDeps,
  tx: Tx,
  integrationId: string,
  { kind, incident, failure }: NotificationDetails,
): Promise<boolean> {
  if (kind === 'recovered' || failure === null || incident?.kind !== 'failure') return false;
  return awaitsReason(tx, integrationId, failure, policy);
}

async function sendFound(
  deps: DispatcherDeps,
  { integrationId, notificationId }: Due,
  { kind, rule_name: ruleName, incident, failure, digest }: NotificationDetails,
  channel: ChannelRow | 'no owner' | undefined,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const never = { sent: false, statusCode: null };
  if (channel === undefined) return { ...never, problem: 'The channel was removed.' };
  if (channel === 'no owner') {
    const problem =
      incident === null
        ? 'Only a message about a workflow has an owner.'
        : 'The workflow has no owner, or the owner has no mail address.';
    return { ...never, problem };
  }
  const head = { notificationId, integrationId, ruleName };
  if (digest !== null)
    return sendNotification(
      deps,
      integrationId,
      channel,
      digestContent(head, digest, deps.publicUrl),
      signal,
    );
  if (incident === null || failure === null || kind === 'digest' || kind === 'test')
    return { ...never, problem: 'The incident is gone.' };
  const isFailure = incident.kind === 'failure';
  const withAssessment = kind !== 'recovered';
  const known = isFailure ? await readReason(deps, integrationId, failure, { withAssessment }) : {};
  const link = isTestWatch(incident.kind) ? testUrl(deps.publicUrl, integrationId, failure) : undefined;
  const content = incidentContent(head, kind, incident, failure, { ...known, ...(link && { link }) });
  return sendNotification(deps, integrationId, channel, content, signal);
}

async function settle(
  { db, log, count, sealer }: DispatcherDeps,
  { integrationId, notificationId }: Due,
  notification: NotificationDetails,
  { sent, statusCode, problem, cause, webhook }: DeliveryResult,
): Promise<void> {
  const status = sent ? 'sent' : 'failed';
  const {
    rule_id: ruleId,
    rule_name: ruleName,
    kind,
    target,
    incident,
    channel_id: channelId,
  } = notification;
  if (!sent)
    log.warn({ err: cause, integrationId, ruleId, notificationId, problem }, 'notification delivery failed');
  await db.withScope({ integrationId }, async (tx) => {
    await settleNotification(tx, integrationId, notificationId, { status, statusCode, problem });
    if (webhook !== undefined) {
      const attempt = { ...webhook, statusCode, problem };
      await recordSent(tx, sealer, integrationId, { webhookId: notificationId, channelId, ...attempt });
    }
    const facts = {
      ruleId,
      ruleName,
      kind,
      target,
      incidentId: incident?.incident_id ?? null,
    };
    await addLogEntry(tx, notificationEntry(integrationId, facts, problem));
  });
  count(status);
}

import type { Tx } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/tasks/repeat.ts';
import { busyGroups, makeWorkInFlight } from '#platform/runtime/tasks/work-in-flight.ts';
import type { Service } from '#platform/runtime/service.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { awaitsReason, readReason } from '#server/alerts/reasons/read-reason.ts';
import { recordSent } from '#server/outgoing-webhooks/sending/record-sent.ts';
import { notificationEntry } from './content/log-entries.ts';
import { incidentContent } from './content/notification-content.ts';
import {
  claimPending,
  dropPending,
  dueNotifications,
  findNotification,
  suppressNotification,
  extendLeases,
  reschedule,
  settleNotification,
  type PendingNotification,
  type NotificationDetails,
} from './notification-store.ts';
import type { AlertPolicy } from '#server/alerts/policy.ts';
import { sendNotification, type SendDeps, type DeliveryResult } from './send-notification.ts';
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
export function makeNotificationDispatcher(deps: DispatcherDeps): Service {
  const { db, log, policy } = deps;
  const inFlight = makeWorkInFlight<InFlight>((error) =>
    log.warn({ err: error }, 'notification handling failed, will retry'),
  );
  const stopping = new AbortController();
  const loop = repeat(log, 'pending notifications', policy.sendEveryMs, async (signal) => {
    if (inFlight.items().length === 0 && !(await db.hasRow(dueNotifications))) return;
    // Continues while notifications are pending: the next one is sent when one in flight is done.
    while (!signal.aborted && (await sendSome()) > 0) await inFlight.oneDone(policy.sendEveryMs, signal);
  });

  async function sendSome(): Promise<number> {
    const all = inFlight.items();
    const sending = all.filter(({ isSending }) => isSending).map(({ notification_id: id }) => id);
    const free = policy.sendAtOnce - all.length;
    const claimed = await db.withScope('service', async (tx) => {
      await extendLeases(tx, sending, policy.sendLeaseMs);
      if (free <= 0) return [];
      return claimPending(tx, {
        total: free,
        perGroup: policy.sendAtOncePerIntegration,
        leaseMs: policy.sendLeaseMs,
        busyGroups: busyGroups(all, policy.sendAtOncePerIntegration),
      });
    });
    for (const due of claimed) {
      const one = { ...due, isSending: false };
      inFlight.start(one, sendOne(deps, one, stopping.signal));
    }
    return claimed.length;
  }

  return {
    name: 'notification dispatcher',
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      stopping.abort();
      await inFlight.allDone();
    },
  };
}

interface InFlight extends PendingNotification {
  /** The lease is extended while this is true: a mail server may take longer than the lease. */
  isSending: boolean;
}

async function sendOne(deps: DispatcherDeps, due: InFlight, signal: AbortSignal): Promise<void> {
  const { notification_id: notificationId, group_id: integrationId } = due;
  const found = await deps.db.withScope({ integrationId }, async (tx) => {
    const notification = await findNotification(tx, integrationId, notificationId);
    if (notification?.status !== 'waiting') return void (await dropPending(tx, notificationId));
    const { incident } = notification;
    if (notification.is_obsolete && incident !== null) {
      await suppressNotification(tx, integrationId, notificationId);
      return void (await dropPending(tx, notificationId));
    }
    if (notification.must_wait || (await mustAwaitReason(deps, tx, integrationId, notification)))
      return void (await reschedule(tx, notificationId, deps.policy.sendEveryMs));
    return { notification, channel: await findChannel(tx, integrationId, notification.channel_id) };
  });
  if (found === undefined) return;
  due.isSending = true;
  const outcome = await sendFound(deps, due, found.notification, found.channel, signal);
  // Stopping this process aborted the request: the next process sends it.
  if (!outcome.sent && signal.aborted)
    return deps.db.withScope('service', (tx) => reschedule(tx, notificationId, 0));
  await settle(deps, due, found.notification, outcome);
}

async function mustAwaitReason(
  { policy }: DispatcherDeps,
  tx: Tx,
  integrationId: string,
  { kind, incident, failure }: NotificationDetails,
): Promise<boolean> {
  if (kind === 'recovered' || failure === null || incident?.kind !== 'failure') return false;
  return awaitsReason(tx, integrationId, failure, policy.awaitReasonMs);
}

async function sendFound(
  deps: DispatcherDeps,
  { notification_id: notificationId, group_id: integrationId }: PendingNotification,
  { kind, rule_name: ruleName, incident, failure }: NotificationDetails,
  channel: ChannelRow | undefined,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const never = { sent: false, statusCode: null };
  if (channel === undefined) return { ...never, problem: 'The channel was removed.' };
  if (incident === null || failure === null || kind === 'test')
    return { ...never, problem: 'The incident is gone.' };
  const isFailure = incident.kind === 'failure';
  const withAssessment = kind !== 'recovered';
  const known = isFailure ? await readReason(deps, integrationId, failure, { withAssessment }) : {};
  const head = { notificationId, integrationId, ruleName };
  const content = incidentContent(head, kind, incident, failure, known);
  return sendNotification(deps, integrationId, channel, content, signal);
}

async function settle(
  { db, log, count, sealer }: DispatcherDeps,
  { notification_id: notificationId, group_id: integrationId }: PendingNotification,
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

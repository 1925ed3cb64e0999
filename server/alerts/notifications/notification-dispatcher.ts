import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#platform/runtime/log.ts';
import { repeat } from '#platform/runtime/repeat.ts';
import type { Service } from '#platform/runtime/service.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { notificationEntry } from './log-entries.ts';
import { incidentContent } from './notification-content.ts';
import {
  claimPending,
  dropPending,
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
 * Sends what the outbox holds. Messages under way do not wait for each other, so a receiver that hangs holds up only its
 * own integration. Each is sent once: one that is not taken is not tried again (specification 6.3, rule 8). A process that
 * dies leaves its messages to the next one, which may send one a second time under the same id.
 */
export function makeNotificationDispatcher(deps: DispatcherDeps): Service {
  const { db, log, policy } = deps;
  const underWay = new Map<Promise<void>, UnderWay>();
  const stopping = new AbortController();
  const duty = repeat(log, 'alert outbox', policy.sendEveryMs, async (signal) => {
    // As long as there are some: the next goes when one under way is done.
    while (!signal.aborted && (await sendSome()) > 0)
      await Promise.race([
        ...underWay.keys(),
        delay(policy.sendEveryMs, undefined, { signal }).catch(() => {}),
      ]);
  });

  async function sendSome(): Promise<number> {
    const all = [...underWay.values()];
    const sending = all.filter(({ isSending }) => isSending).map(({ notification_id: id }) => id);
    const free = policy.sendAtOnce - all.length;
    const claimed = await db.withScope('service', async (tx) => {
      await extendLeases(tx, sending, policy.sendLeaseMs);
      if (free <= 0) return [];
      return claimPending(tx, {
        total: free,
        perGroup: policy.sendAtOncePerIntegration,
        leaseMs: policy.sendLeaseMs,
        busyGroups: busyGroups(
          all.map(({ group_id: group }) => group),
          policy.sendAtOncePerIntegration,
        ),
      });
    });
    for (const due of claimed) {
      const one = { ...due, isSending: false };
      const sent: Promise<void> = sendOne(deps, one, stopping.signal)
        .catch((error: unknown) =>
          log.warn({ err: error }, 'an alert could not be handled; another look follows'),
        )
        .finally(() => underWay.delete(sent));
      underWay.set(sent, one);
    }
    return claimed.length;
  }

  return {
    name: 'alert sender',
    start: () => duty.start(),
    stop: async () => {
      await duty.stop();
      stopping.abort();
      await Promise.all(underWay.keys());
    },
  };
}

interface UnderWay extends PendingNotification {
  /** Its lease is kept meanwhile: a mail server may take longer. */
  isSending: boolean;
}

function busyGroups(groups: readonly string[], most: number): string[] {
  return [...new Set(groups)].filter((group) => groups.filter((another) => another === group).length >= most);
}

async function sendOne(deps: DispatcherDeps, due: UnderWay, signal: AbortSignal): Promise<void> {
  const { notification_id: notificationId, group_id: integrationId } = due;
  const found = await deps.db.withScope({ integrationId }, async (tx) => {
    const notification = await findNotification(tx, integrationId, notificationId);
    if (notification?.status !== 'waiting') return void (await dropPending(tx, notificationId));
    const { incident } = notification;
    if (notification.comes_too_late && incident !== null) {
      await suppressNotification(tx, integrationId, notificationId);
      return void (await dropPending(tx, notificationId));
    }
    if (notification.waits_for_another)
      return void (await reschedule(tx, notificationId, deps.policy.sendEveryMs));
    return { notification, channel: await findChannel(tx, integrationId, notification.channel_id) };
  });
  if (found === undefined) return;
  due.isSending = true;
  const outcome = await sendFound(deps, due, found.notification, found.channel, signal);
  // Given up by a stop, not by the receiver: whoever starts next goes on.
  if (!outcome.sent && signal.aborted)
    return deps.db.withScope('service', (tx) => reschedule(tx, notificationId, 0));
  await settle(deps, due, found.notification, outcome);
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
  const content = incidentContent({ notificationId, integrationId, ruleName }, kind, incident, failure);
  return sendNotification(deps, integrationId, channel, content, signal);
}

async function settle(
  { db, log, count }: DispatcherDeps,
  { notification_id: notificationId, group_id: integrationId }: PendingNotification,
  notification: NotificationDetails,
  { sent, statusCode, problem, cause }: DeliveryResult,
): Promise<void> {
  const status = sent ? 'sent' : 'failed';
  const { rule_id: ruleId, rule_name: ruleName, kind, target, incident } = notification;
  if (!sent)
    log.warn({ err: cause, integrationId, ruleId, notificationId, problem }, 'an alert was not taken');
  await db.withScope({ integrationId }, async (tx) => {
    await settleNotification(tx, integrationId, notificationId, { status, statusCode, problem });
    const told = {
      ruleId,
      ruleName,
      kind,
      target,
      incidentId: incident?.incident_id ?? null,
    };
    await addLogEntry(tx, notificationEntry(integrationId, told, problem));
  });
  count(status);
}

import type { TestSendResult } from '#contract/alerts/alerts.ts';
import type { Log } from '#platform/runtime/log.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { randomUUID } from 'node:crypto';
import { notificationEntry } from './log-entries.ts';
import { limitTestSends } from './limit-test-sends.ts';
import { testContent } from './notification-content.ts';
import { insertTestNotification } from './notification-store.ts';
import { ruleNotFound, type RulePlace } from '#server/alerts/rules/save-rule.ts';
import { sendNotification, type SendDeps } from './send-notification.ts';
import { listChannels, listRules, type ChannelRow } from '#server/alerts/rules/rule-store.ts';

export interface TestRuleDeps extends SendDeps {
  log: Log;
}

/**
 * Sends one test notification to each channel of the rule and returns the results.
 * @throws AppError `not_found`, `too_many_requests`
 */
export async function testRule(
  deps: TestRuleDeps,
  place: RulePlace,
  ruleId: string,
): Promise<TestSendResult[]> {
  const { integrationId, actorId } = place;
  const { rule, channels } = await deps.db.withScope({ integrationId }, async (tx) => {
    const [[found], ruleChannels] = await Promise.all([
      listRules(tx, integrationId, ruleId),
      listChannels(tx, integrationId, ruleId),
    ]);
    if (found === undefined) throw ruleNotFound();
    await limitTestSends(tx, integrationId, ruleChannels);
    return { rule: found, channels: ruleChannels };
  });
  // Sends outside a transaction: a receiver may take ten seconds.
  const results = await Promise.all(
    channels.map((channel) => testChannel(deps, integrationId, rule.name, channel)),
  );
  await deps.db.withScope({ integrationId }, async (tx) => {
    if ((await listRules(tx, integrationId, ruleId)).length === 0) return;
    for (const result of results) {
      const { type: channelType, sent: isSent, target, problem } = result;
      await insertTestNotification(tx, integrationId, { ruleId, ...result, channelType, isSent });
      // The entry below counts the channels that accepted it. Each failed channel has its own entry with the reason.
      const notification = { ruleId, ruleName: rule.name, incidentId: null, kind: 'test', target } as const;
      if (!isSent) await addLogEntry(tx, notificationEntry(integrationId, notification, problem));
    }
    const sent = results.filter((result) => result.sent).length;
    await addLogEntry(tx, {
      integrationId,
      type: 'rule.tested',
      severity: sent === results.length ? 'info' : 'warning',
      title: `The notification rule “${rule.name}” was tested: ${sent} of ${results.length} channels accepted the message`,
      actorId,
      details: { ruleId, sent, channels: results.length },
    });
  });
  return results;
}

async function testChannel(
  deps: TestRuleDeps,
  integrationId: string,
  ruleName: string,
  channel: ChannelRow,
): Promise<TestSendResult> {
  const startedAt = performance.now();
  const content = testContent({ notificationId: randomUUID(), integrationId, ruleName }, deps.publicUrl);
  const { channel_id: channelId } = channel;
  const { sent, statusCode, problem, cause } = await sendNotification(deps, integrationId, channel, content);
  if (!sent)
    deps.log.warn({ err: cause, integrationId, channelId, problem }, 'test notification delivery failed');
  return {
    channelId,
    type: channel.type,
    target: channel.target,
    sent,
    statusCode,
    problem,
    tookMs: Math.round(performance.now() - startedAt),
  };
}

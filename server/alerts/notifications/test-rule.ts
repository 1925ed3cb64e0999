import { randomUUID } from 'node:crypto';
import { type RuleBody, type TestSendResult, mostTestMessagesPerHour } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Log } from '#platform/runtime/log.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import { readDigest } from '#server/alerts/digest/read-digest.ts';
import { DashboardCache } from '#server/rollups/dashboards/dashboard-cache.ts';
import type { Digest } from '#contract/alerts/digest.ts';
import { recordSent } from '#server/outgoing-webhooks/sending/record-sent.ts';
import { copyChannel } from '#server/alerts/channels/copy-channel.ts';
import { sealChannel } from '#server/alerts/channels/channel-secrets.ts';
import { checkRule } from '#server/alerts/rules/check-rule.ts';
import type { RuleFilter } from '#server/alerts/rules/matching-rules.ts';
import { ruleNotFound, type RulePlace, type SaveRuleDeps } from '#server/alerts/rules/save-rule.ts';
import {
  findChannel,
  listChannels,
  listRules,
  type ChannelRow,
  type RuleRow,
  recordTestSend,
} from '#server/alerts/rules/rule-store.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { notificationEntry } from './content/log-entries.ts';
import { digestContent } from './content/digest-content.ts';
import { testContent } from './content/notification-content.ts';
import { insertTestNotification } from './notification-store.ts';
import { sendNotification, type DeliveryResult, type SendDeps } from './send-notification.ts';

export interface TestRuleDeps extends SendDeps {
  log: Log;
}

/**
 * Sends one test notification to each channel of the rule and returns the results. A rule about a weekly digest sends that of the last
 * seven days, if it has something to say.
 * @throws AppError `not_found`, `too_many_requests`
 */
export async function testRule(
  deps: TestRuleDeps,
  place: RulePlace,
  ruleId: string,
): Promise<TestSendResult[]> {
  const { integrationId } = place;
  const { rule, channels, digest } = await deps.db.withScope({ integrationId }, async (tx) => {
    const [[found], ruleChannels] = await Promise.all([
      listRules(tx, integrationId, ruleId),
      listChannels(tx, integrationId, ruleId),
    ]);
    if (found === undefined) throw ruleNotFound();
    await limitTestSends(tx, integrationId, ruleChannels);
    return {
      rule: found,
      channels: ruleChannels,
      digest: await digestOf(deps, tx, integrationId, found.definition),
    };
  });
  const results = await sendTests(deps, integrationId, { ruleName: rule.name, digest }, channels);
  await deps.db.withScope({ integrationId }, async (tx) => {
    if ((await listRules(tx, integrationId, ruleId)).length === 0) return;
    for (const result of results) await recordTest(deps, tx, integrationId, rule, result);
    await logTest(tx, place, `The notification rule “${rule.name}”`, results, { ruleId });
  });
  return results.map(({ result }) => result);
}

/**
 * The same for a rule as it is being edited. Stored channels, also of other rules of the integration, keep what is omitted. A new webhook
 * has no secret before it is saved, so its test is signed with one that nobody knows.
 * @throws AppError `invalid_request` naming the field, `too_many_requests`
 */
export async function testUnsavedRule(
  deps: TestRuleDeps & Pick<SaveRuleDeps, 'refusal'>,
  place: RulePlace,
  { name, channels: inputs, ...definition }: RuleBody,
): Promise<TestSendResult[]> {
  const { integrationId } = place;
  const { sealer, refusal } = deps;
  checkRule(definition);
  const { channels, digest } = await deps.db.withScope({ integrationId }, async (tx) => {
    const rows: ChannelRow[] = [];
    for (const [index, given] of inputs.entries()) {
      const input = await copyChannel(tx, sealer, { integrationId, index }, given);
      const { channelId } = input;
      const stored = channelId === undefined ? undefined : await findChannel(tx, integrationId, channelId);
      const at = { integrationId, ruleId: randomUUID(), index };
      rows.push(sealChannel(sealer, refusal, at, { ...input, renewSecret: false }, stored).row);
    }
    await limitTestSends(tx, integrationId, rows);
    return { channels: rows, digest: await digestOf(deps, tx, integrationId, definition) };
  });
  const results = await sendTests(deps, integrationId, { ruleName: name, digest }, channels);
  await deps.db.withScope({ integrationId }, (tx) =>
    logTest(tx, place, `The notification rule “${name}”, as it is being edited,`, results, {
      targets: channels.map(({ target }) => target),
    }),
  );
  return results.map(({ result }) => result);
}

async function digestOf(
  { clock }: TestRuleDeps,
  tx: Tx,
  integrationId: string,
  definition: RuleFilter,
): Promise<Digest | undefined> {
  if (definition.watch !== 'weekly_digest') return undefined;
  return readDigest(tx, integrationId, definition, clock(), new DashboardCache());
}

/** Outside a transaction: a receiver may take ten seconds. */
function sendTests(
  deps: TestRuleDeps,
  integrationId: string,
  message: { ruleName: string; digest: Digest | undefined },
  channels: readonly ChannelRow[],
): Promise<TestSend[]> {
  return Promise.all(channels.map((channel) => testChannel(deps, integrationId, message, channel)));
}

async function logTest(
  tx: Tx,
  { integrationId, actorId }: RulePlace,
  what: string,
  results: readonly TestSend[],
  details: { ruleId: string } | { targets: string[] },
): Promise<void> {
  const sent = results.filter(({ result }) => result.sent).length;
  await addLogEntry(tx, {
    integrationId,
    type: 'rule.tested',
    severity: sent === results.length ? 'info' : 'warning',
    title: `${what} was tested: ${sent} of ${results.length} channels accepted the message`,
    actorId,
    details: { ...details, sent, channels: results.length },
  });
}

interface TestSend {
  notificationId: string;
  result: TestSendResult;
  webhook: DeliveryResult['webhook'];
}

async function recordTest(
  { sealer }: TestRuleDeps,
  tx: Tx,
  integrationId: string,
  { rule_id: ruleId, name: ruleName }: Pick<RuleRow, 'rule_id' | 'name'>,
  { notificationId, webhook, result }: TestSend,
): Promise<void> {
  const { channelId, type: channelType, sent: isSent, target, statusCode, problem } = result;
  await insertTestNotification(tx, integrationId, { ...result, notificationId, ruleId, channelType, isSent });
  if (webhook !== undefined) {
    const attempt = { ...webhook, statusCode, problem };
    await recordSent(tx, sealer, integrationId, { webhookId: notificationId, channelId, ...attempt });
  }
  // The entry of the test counts the channels that accepted it. Each failed channel has its own entry with the reason.
  const notification = { ruleId, ruleName, incidentId: null, kind: 'test', target } as const;
  if (!isSent) await addLogEntry(tx, notificationEntry(integrationId, notification, problem));
}

async function testChannel(
  deps: TestRuleDeps,
  integrationId: string,
  { ruleName, digest }: { ruleName: string; digest: Digest | undefined },
  channel: ChannelRow,
): Promise<TestSend> {
  const startedAt = performance.now();
  const notificationId = randomUUID();
  const head = { notificationId, integrationId, ruleName };
  const content =
    digest === undefined ? testContent(head, deps.publicUrl) : digestContent(head, digest, deps.publicUrl);
  const { channel_id: channelId } = channel;
  const outcome = await sendNotification(deps, integrationId, channel, content);
  const { sent, statusCode, problem, cause, webhook } = outcome;
  if (!sent)
    deps.log.warn({ err: cause, integrationId, channelId, problem }, 'test notification delivery failed');
  const tookMs = Math.round(performance.now() - startedAt);
  const { type, target } = channel;
  return { notificationId, webhook, result: { channelId, type, target, sent, statusCode, problem, tookMs } };
}

const hourSeconds = 3600;

/** Counts test messages over all processes; each address counts. @throws AppError `too_many_requests` */
async function limitTestSends(tx: Tx, integrationId: string, channels: readonly ChannelRow[]): Promise<void> {
  const messages = channels.reduce((sum, { recipients }) => sum + (recipients?.length ?? 1), 0);
  const ageSeconds = await recordTestSend(tx, integrationId, messages, mostTestMessagesPerHour);
  if (ageSeconds === undefined) return;
  throw new AppError('too_many_requests', {
    detail: `At most ${mostTestMessagesPerHour} test messages per hour for each integration; each address counts.`,
    retryAfterSeconds: Math.max(1, Math.ceil(hourSeconds - ageSeconds)),
  });
}

import { randomUUID } from 'node:crypto';
import {
  mostRules,
  type ChannelInput,
  type NotificationRule,
  type RuleBody,
} from '#contract/alerts/alerts.ts';
import type { Database, Tx } from '#platform/database/database.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { SharedDeps } from '#platform/runtime/shared-deps.ts';
import { requestTasks } from '#server/tasks/request-tasks.ts';
import { addLogEntry } from '#server/event-log/add-entry.ts';
import type { LogEntry } from '#server/event-log/log-entry.ts';
import { sealChannel, type SealedChannel } from '#server/alerts/channels/channel-secrets.ts';
import { copyChannel } from '#server/alerts/channels/copy-channel.ts';
import { checkRule } from './check-rule.ts';
import type { RuleFilter } from './matching-rules.ts';
import { lockEvaluation } from '#server/alerts/evaluation/completion-store.ts';
import { readRules } from './read-rules.ts';
import {
  countRules,
  deleteRule,
  digestTask,
  insertRule,
  listChannels,
  updateIntegrationsWithRules,
  replaceChannels,
  updateRule,
} from './rule-store.ts';

export interface SaveRuleDeps extends Pick<SharedDeps, 'db' | 'sealer'> {
  /** Why a URL must not be called; undefined if it may. */
  refusal(url: string): string | undefined;
}

/** The integration of the rule and the user who changes it. */
export interface RulePlace {
  integrationId: string;
  actorId: string;
}

/** Returns the rule with its new signing secrets, which are shown only once. */
export async function createRule(
  deps: SaveRuleDeps,
  { integrationId, actorId }: RulePlace,
  body: RuleBody,
): Promise<NotificationRule> {
  return deps.db.withScope({ integrationId }, async (tx) => {
    await lockEvaluation(tx, integrationId);
    if ((await countRules(tx, integrationId)) >= mostRules)
      throw new AppError('conflict', {
        detail: `An integration has at most ${mostRules} rules. Delete one first.`,
      });
    const ruleId = randomUUID();
    await insertRule(tx, integrationId, newRule(ruleId, body));
    const sealed = await saveChannels(deps, tx, integrationId, ruleId, body);
    await requestDigest(tx, integrationId, ruleId, body);
    await logChange(tx, { integrationId, actorId }, 'rule.created', 'was added', ruleId, body.name);
    return savedRule(tx, integrationId, ruleId, sealed);
  });
}

/** Replaces the rule and removes omitted channels. @throws AppError `not_found` */
export async function changeRule(
  deps: SaveRuleDeps,
  { integrationId, actorId }: RulePlace,
  ruleId: string,
  body: RuleBody,
): Promise<NotificationRule> {
  return deps.db.withScope({ integrationId }, async (tx) => {
    await lockEvaluation(tx, integrationId);
    if (!(await updateRule(tx, integrationId, newRule(ruleId, body)))) throw ruleNotFound();
    const sealed = await saveChannels(deps, tx, integrationId, ruleId, body);
    await requestDigest(tx, integrationId, ruleId, body);
    await logChange(tx, { integrationId, actorId }, 'rule.changed', 'was changed', ruleId, body.name);
    return savedRule(tx, integrationId, ruleId, sealed);
  });
}

/** Deletes the rule with its channels and notifications. @throws AppError `not_found` */
export async function removeRule(
  db: Database,
  { integrationId, actorId }: RulePlace,
  ruleId: string,
): Promise<void> {
  await db.withScope({ integrationId }, async (tx) => {
    await lockEvaluation(tx, integrationId);
    const name = await deleteRule(tx, integrationId, ruleId);
    if (name === undefined) throw ruleNotFound();
    await logChange(tx, { integrationId, actorId }, 'rule.deleted', 'was deleted', ruleId, name);
  });
}

export function ruleNotFound(): AppError {
  return new AppError('not_found', { detail: 'Rule not found.' });
}

function newRule(ruleId: string, body: RuleBody) {
  const { name, enabled, channels: _, ...filter } = body;
  const definition: RuleFilter = filter;
  checkRule(definition);
  return { ruleId, name, enabled, definition };
}

/** The task of the rule finds out when the next digest is due. */
async function requestDigest(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  { watch, enabled }: RuleBody,
): Promise<void> {
  if (watch === 'weekly_digest' && enabled)
    await requestTasks(tx, { integrationId, kind: digestTask }, [ruleId], 'restart');
}

async function saveChannels(
  { sealer, refusal }: SaveRuleDeps,
  tx: Tx,
  integrationId: string,
  ruleId: string,
  body: RuleBody,
): Promise<SealedChannel[]> {
  const inputs: ChannelInput[] = [];
  for (const [index, input] of body.channels.entries())
    inputs.push(await copyChannel(tx, sealer, { integrationId, index }, input));
  const stored = new Map((await listChannels(tx, integrationId, ruleId)).map((row) => [row.channel_id, row]));
  const sealed = inputs.map((input, index) => {
    const before = input.channelId === undefined ? undefined : stored.get(input.channelId);
    const channel = sealChannel(sealer, refusal, { integrationId, ruleId, index }, input, before);
    // The input may refer to each stored channel only once.
    stored.delete(channel.row.channel_id);
    return channel;
  });
  await replaceChannels(
    tx,
    integrationId,
    ruleId,
    sealed.map(({ row }) => row),
  );
  return sealed;
}

async function logChange(
  tx: Tx,
  { integrationId, actorId }: RulePlace,
  type: LogEntry['type'],
  change: string,
  ruleId: string,
  name: string,
): Promise<void> {
  const entry: LogEntry = {
    integrationId,
    type,
    title: `The notification rule “${name}” ${change}`,
    actorId,
    details: { ruleId, name },
  };
  await Promise.all([updateIntegrationsWithRules(tx, integrationId), addLogEntry(tx, entry)]);
}

async function savedRule(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  sealed: readonly SealedChannel[],
): Promise<NotificationRule> {
  const [rule] = await readRules(tx, integrationId, ruleId);
  if (rule === undefined) throw ruleNotFound();
  const secrets = new Map(sealed.map(({ row, newSecret }) => [row.channel_id, newSecret]));
  return {
    ...rule,
    channels: rule.channels.map((channel) => ({
      ...channel,
      signingSecret: secrets.get(channel.channelId) ?? null,
    })),
  };
}

import type { Channel, NotificationRule } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import { listChannels, listRules, type ChannelRow, type RuleRow } from './rule-store.ts';

/** All rules by creation time, or the one with `ruleId`. URLs are reduced to their host. */
export async function readRules(tx: Tx, integrationId: string, ruleId?: string): Promise<NotificationRule[]> {
  const [rules, channels] = await Promise.all([
    listRules(tx, integrationId, ruleId),
    listChannels(tx, integrationId, ruleId),
  ]);
  return rules.map((row) => ({
    ...row.definition,
    ruleId: row.rule_id,
    name: row.name,
    enabled: row.enabled,
    channels: channels.filter((channel) => channel.rule_id === row.rule_id).map(channelOf),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
    firedIn30Days: row.fired,
    failing: failingOf(row),
  }));
}

function failingOf({ failing_channels: channels, failing_since: since, problem }: RuleRow) {
  return since === null ? null : { channels, since: since.toISOString(), problem: problem ?? '' };
}

function channelOf({ channel_id, type, recipients, target }: ChannelRow): Channel {
  return {
    channelId: channel_id,
    type,
    to: recipients,
    host: recipients === null ? target : null,
    signingSecret: null,
  };
}

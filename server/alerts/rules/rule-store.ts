import type { ChannelType } from '#contract/alerts/alerts.ts';
import type { Tx } from '#platform/database/database.ts';
import type { TaskKindName } from '#contract/integrations/tasks.ts';
import { requestTasks } from '#server/tasks/request-tasks.ts';
import { onlyKey } from '#server/tasks/task.ts';
import type { Rule, RuleFilter } from './matching-rules.ts';

export interface RuleRow {
  rule_id: string;
  name: string;
  enabled: boolean;
  definition: RuleFilter;
  created_at: Date;
  updated_at: Date;
  last_sent_at: Date | null;
  fired: number;
  failing_channels: number;
  failing_since: Date | null;
  problem: string | null;
}

export interface ChannelRow {
  channel_id: string;
  rule_id: string;
  type: ChannelType;
  recipients: string[] | null;
  target: string;
  sealed_url: Buffer | null;
  sealed_secret: Buffer | null;
}

/** All rules by creation time, or the one with `ruleId`. */
export function listRules(tx: Tx, integrationId: string, ruleId?: string): Promise<RuleRow[]> {
  return tx.rows<RuleRow>(
    `select r.*, n.last_sent_at, n.fired, f.*
     from notification_rules r cross join lateral (
       select max(sent_at) filter (where kind <> 'test') as last_sent_at,
              count(distinct incident_id) filter (where sent_at > now() - interval '30 days')::int as fired
       from notifications where integration_id = $1 and rule_id = r.rule_id) n
     cross join lateral (
       select count(distinct channel_id)::int as failing_channels, min(created_at) as failing_since,
              (array_agg(problem order by created_at desc))[1] as problem
       from (select channel_id, created_at, status, problem,
                    max(created_at) filter (where status = 'sent') over (partition by channel_id) as accepted_at
             from notifications join notification_channels c using (integration_id, rule_id, channel_id)
             where integration_id = $1 and rule_id = r.rule_id and status in ('sent', 'failed')) settled
       where status = 'failed' and created_at > coalesce(accepted_at, '-infinity')) f
     where r.integration_id = $1 and ($2::uuid is null or r.rule_id = $2)
     order by r.created_at, r.rule_id`,
    [integrationId, ruleId ?? null],
  );
}

export function listChannels(tx: Tx, integrationId: string, ruleId?: string): Promise<ChannelRow[]> {
  return tx.rows<ChannelRow>(
    `select channel_id, rule_id, type, recipients, target, sealed_url, sealed_secret from notification_channels
     where integration_id = $1 and ($2::uuid is null or rule_id = $2) order by rule_id, position`,
    [integrationId, ruleId ?? null],
  );
}

export function findChannel(
  tx: Tx,
  integrationId: string,
  channelId: string,
): Promise<ChannelRow | undefined> {
  return tx.row<ChannelRow>(
    `select channel_id, rule_id, type, recipients, target, sealed_url, sealed_secret from notification_channels
     where integration_id = $1 and channel_id = $2`,
    [integrationId, channelId],
  );
}

/** The rules of live evaluation. */
export async function listEnabledRules(tx: Tx, integrationId: string): Promise<Rule[]> {
  const { rows } = await tx.query<{ rule_id: string; definition: RuleFilter }>({
    name: 'list-enabled-rules',
    text: 'select rule_id, definition from notification_rules where integration_id = $1 and enabled order by created_at',
    values: [integrationId],
  });
  return rows.map(({ rule_id, definition }) => ({ ...definition, ruleId: rule_id }));
}

export async function countRules(tx: Tx, integrationId: string): Promise<number> {
  const count = await tx.value<number>(
    'select count(*)::int as count from notification_rules where integration_id = $1',
    [integrationId],
  );
  return count ?? 0;
}

export interface NewRule {
  ruleId: string;
  name: string;
  enabled: boolean;
  definition: RuleFilter;
}

export async function insertRule(tx: Tx, integrationId: string, rule: NewRule): Promise<void> {
  await tx.query(
    `insert into notification_rules (integration_id, rule_id, name, enabled, definition)
     values ($1, $2, $3, $4, $5)`,
    [integrationId, rule.ruleId, rule.name, rule.enabled, rule.definition],
  );
}

/** False if the rule does not exist. */
export function updateRule(tx: Tx, integrationId: string, rule: NewRule): Promise<boolean> {
  return tx.some(
    `update notification_rules set name = $3, enabled = $4, definition = $5, updated_at = now()
     where integration_id = $1 and rule_id = $2`,
    [integrationId, rule.ruleId, rule.name, rule.enabled, rule.definition],
  );
}

/** Returns the name of the deleted rule; undefined if it does not exist. */
export function deleteRule(tx: Tx, integrationId: string, ruleId: string): Promise<string | undefined> {
  return tx.value<string>(
    'delete from notification_rules where integration_id = $1 and rule_id = $2 returning name',
    [integrationId, ruleId],
  );
}

export async function replaceChannels(
  tx: Tx,
  integrationId: string,
  ruleId: string,
  channels: readonly ChannelRow[],
): Promise<void> {
  await tx.query('delete from notification_channels where integration_id = $1 and rule_id = $2', [
    integrationId,
    ruleId,
  ]);
  for (const [position, row] of channels.entries()) {
    await tx.query(
      `insert into notification_channels
         (integration_id, channel_id, rule_id, position, type, recipients, target, sealed_url, sealed_secret)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        integrationId,
        row.channel_id,
        ruleId,
        position,
        row.type,
        row.recipients,
        row.target,
        row.sealed_url,
        row.sealed_secret,
      ],
    );
  }
}

/**
 * Records test messages. Returns undefined if there are at most `most` in the last hour, else the age in seconds of the
 * newest ones that must expire first.
 */
export async function recordTestSend(
  tx: Tx,
  integrationId: string,
  messages: number,
  most: number,
): Promise<number | undefined> {
  void tx.query('select from integrations where integration_id = $1 for no key update', [integrationId]);
  void tx.query(
    `delete from test_sends where integration_id = $1 and sent_at < clock_timestamp() - interval '1 hour'`,
    [integrationId],
  );
  void tx.query('insert into test_sends (integration_id, messages) values ($1, $2)', [
    integrationId,
    messages,
  ]);
  return tx.value<number>(
    `select extract(epoch from clock_timestamp() - sent_at)::float8 as age
     from (select sent_at, sum(messages) over (order by sent_at desc) as since from test_sends
           where integration_id = $1) s
     where since > $2 order by sent_at desc limit 1`,
    [integrationId, most],
  );
}

export const watchTask = 'rule-watches';

/** The kind of the tasks that send digests. Their key is the id of the rule. */
export const digestTask = 'weekly-digests' satisfies TaskKindName;

/**
 * Adds the integration to those with rules while a rule is enabled, or an incident is open that no run of a default branch closes; removes
 * it otherwise. Notifies every process of a change. Evaluates rules that watch what did not happen.
 */
export async function updateIntegrationsWithRules(tx: Tx, integrationId: string): Promise<void> {
  await tx.query(
    `with wanted as (
       select exists (select from notification_rules where integration_id = $1 and enabled)
           or exists (select from incidents i where i.integration_id = $1 and i.closed_at is null and (i.failed_runs = 0 or not exists (
                select from repositories r where r.integration_id = $1 and r.repository = i.repository
                  and r.default_branch = i.branch))) as it),
     gone as (delete from integrations_with_rules where group_id = $1 and not (select it from wanted)),
     saved as (insert into integrations_with_rules (group_id) select $1 from wanted where it on conflict do nothing)
     select pg_notify('integrations_with_rules_changed', '') from wanted
     where it <> exists (select from integrations_with_rules where group_id = $1)`,
    [integrationId],
  );
  await requestTasks(tx, { integrationId, kind: watchTask }, [onlyKey], 'restart');
}

/** Reads all integrations, but only their ids. */
export const integrationsWithRulesStatement = {
  name: 'list-integrations-with-rules',
  text: 'select group_id from integrations_with_rules',
};

import type { RuleOutcome, RuleReason } from '#contract/deliveries.ts';
import type { Tx } from '#platform/database/database.ts';
import type { Decision, Evaluation } from './evaluation.ts';
import {
  deleteEvaluations,
  findEvaluation,
  findRuleNames,
  listNotificationStatuses,
  waitsForRules,
  type NotificationStatusRow,
} from './evaluation-store.ts';

/** What the rules said to a delivery, and what became of their messages. */
export interface KnownEvaluation extends Pick<Evaluation, 'isFaulty' | 'hasClosedIncident' | 'conclusion'> {
  evaluatedAt: Date;
  rules: EvaluatedRule[];
}

export interface EvaluatedRule {
  ruleId: string;
  /** Null when the rule was deleted. */
  name: string | null;
  outcome: RuleOutcome;
  /** Why it is suppressed; else null. */
  reason: RuleReason | null;
  /** How many channels have the message, and how many were to have it. */
  sent: number;
  channels: number;
  /** Why channels do not have the message, each reason once. */
  problems: string[];
}

/** `none` when no enabled rule was asked, as for a job that succeeded. */
export async function readEvaluation(
  tx: Tx,
  integrationId: string,
  seq: string,
): Promise<KnownEvaluation | 'waiting' | 'none'> {
  // First: what no longer waits has its evaluation by then.
  if (await waitsForRules(tx, seq)) return 'waiting';
  const row = await findEvaluation(tx, integrationId, seq);
  if (row === undefined) return 'none';
  const { evaluation, evaluated_at: evaluatedAt } = row;
  const { decisions, isFaulty, hasClosedIncident, conclusion } = evaluation;
  const incidentIds = decisions.flatMap((decision) =>
    'incidentId' in decision ? [decision.incidentId] : [],
  );
  const [names, messages] = await Promise.all([
    findRuleNames(
      tx,
      integrationId,
      decisions.map(({ ruleId }) => ruleId),
    ),
    listNotificationStatuses(tx, integrationId, incidentIds, evaluation),
  ]);
  const rules = decisions.map((decision) => ({
    ruleId: decision.ruleId,
    name: names.get(decision.ruleId) ?? null,
    ...resultOf(decision, messages),
  }));
  return { isFaulty, hasClosedIncident, conclusion, evaluatedAt, rules };
}

function resultOf(
  decision: Decision,
  messages: readonly NotificationStatusRow[],
): Pick<EvaluatedRule, 'outcome' | 'reason' | 'sent' | 'channels' | 'problems'> {
  if ('reason' in decision)
    return { outcome: 'suppressed', reason: decision.reason, sent: 0, channels: 0, problems: [] };
  const { ruleId, incidentId } = decision;
  const its = messages.filter((row) => row.rule_id === ruleId && row.incident_id === incidentId);
  const count = (status: NotificationStatusRow['status']): number =>
    its.filter((row) => row.status === status).length;
  const [sent, channels] = [count('sent'), its.length];
  const problems = [...new Set(its.flatMap(({ problem }) => problem ?? []))];
  const counts = { sent, channels, problems };
  if (channels === 0) return { outcome: 'suppressed', reason: 'no_channel', ...counts };
  if (count('held_back') === channels)
    return { outcome: 'suppressed', reason: 'resolved_meanwhile', ...counts };
  if (count('waiting') > 0) return { outcome: 'waiting', reason: null, ...counts };
  return { outcome: sent > 0 ? 'sent' : 'failed', reason: null, ...counts };
}

/** The oldest, as far as they are older than `before`. Returns how many; 0 when there are no more. */
export async function forgetEvaluations(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<number> {
  return deleteEvaluations(tx, integrationId, before, most);
}

import type { RuleOutcome, RuleReason } from '#contract/deliveries/deliveries.ts';
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

/** The decisions of the rules about a delivery, and the results of their notifications. */
export interface KnownEvaluation extends Pick<
  Evaluation,
  'isFaulty' | 'hasClosedIncident' | 'countedAs' | 'conclusion'
> {
  evaluatedAt: Date;
  rules: EvaluatedRule[];
}

export interface EvaluatedRule {
  ruleId: string;
  /** Null when the rule was deleted. */
  name: string | null;
  outcome: RuleOutcome;
  /** Why it is suppressed; null if it is not. */
  reason: RuleReason | null;
  /** How many channels received the notification, and how many should have. */
  sent: number;
  channels: number;
  /** Why channels do not have the message, each reason once. */
  problems: string[];
}

/** `none` if no rule was evaluated, for example for a successful job. */
export async function readEvaluation(
  tx: Tx,
  integrationId: string,
  seq: string,
): Promise<KnownEvaluation | 'waiting' | 'none'> {
  // This check comes first: a delivery that does not wait has its evaluation by then.
  if (await waitsForRules(tx, integrationId, seq)) return 'waiting';
  const row = await findEvaluation(tx, integrationId, seq);
  if (row === undefined) return 'none';
  const { evaluation, evaluated_at: evaluatedAt } = row;
  const { decisions, isFaulty, hasClosedIncident, countedAs, conclusion } = evaluation;
  const incidentIds = decisions.flatMap((decision) =>
    'incidentId' in decision ? [decision.incidentId] : [],
  );
  const [names, notifications] = await Promise.all([
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
    ...resultOf(decision, notifications),
  }));
  return { isFaulty, hasClosedIncident, countedAs, conclusion, evaluatedAt, rules };
}

function resultOf(
  decision: Decision,
  notifications: readonly NotificationStatusRow[],
): Pick<EvaluatedRule, 'outcome' | 'reason' | 'sent' | 'channels' | 'problems'> {
  if ('reason' in decision)
    return { outcome: 'suppressed', reason: decision.reason, sent: 0, channels: 0, problems: [] };
  const { ruleId, incidentId } = decision;
  const own = notifications.filter((row) => row.rule_id === ruleId && row.incident_id === incidentId);
  const count = (status: NotificationStatusRow['status']): number =>
    own.filter((row) => row.status === status).length;
  const [sent, channels] = [count('sent'), own.length];
  const problems = [...new Set(own.flatMap(({ problem }) => problem ?? []))];
  const counts = { sent, channels, problems };
  if (channels === 0) return { outcome: 'suppressed', reason: 'no_channel', ...counts };
  if (count('held_back') === channels)
    return { outcome: 'suppressed', reason: 'resolved_meanwhile', ...counts };
  if (count('waiting') > 0) return { outcome: 'waiting', reason: null, ...counts };
  return { outcome: sent > 0 ? 'sent' : 'failed', reason: null, ...counts };
}

/** Deletes the oldest evaluations that are older than `before`. Returns how many; 0 when none is left. */
export async function forgetEvaluations(
  tx: Tx,
  integrationId: string,
  before: Date,
  most: number,
): Promise<number> {
  return deleteEvaluations(tx, integrationId, before, most);
}

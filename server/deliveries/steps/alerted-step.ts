import type { DeliveryStep, RuleReason, StepOutcome } from '#contract/deliveries/deliveries.ts';
import type { EvaluatedRule, KnownEvaluation } from '#server/alerts/evaluation/read-evaluation.ts';

const reasons: Record<RuleReason, string> = {
  too_old: 'It ended more than 24 hours before, and no live webhook reported it.',
  hidden: 'The workflow is hidden.',
  resolved: 'It was resolved before: by a success, by a person, or because its pull request was closed.',
  repeated_delivery: 'The failure was counted before.',
  already_notified: 'The rule notified about this incident before.',
  cooldown: 'A message of the rule waits for the end of its cooldown.',
  acknowledged: 'A person acknowledged the incident, so the rule sends no reminders.',
  snoozed: 'A person snoozed the incident, so the rule sends no reminders until then.',
  resolved_meanwhile:
    'While the message waited, the incident was resolved, acknowledged or snoozed, or the rule was disabled.',
  no_channel: 'The rule had no channel, or was deleted.',
};

/** Of a stored run or job that ended. Pure. */
export function evaluatedStep(found: KnownEvaluation | 'waiting' | 'none'): DeliveryStep {
  const step = 'alerted' as const;
  if (found === 'waiting')
    return { step, outcome: 'waiting', at: null, detail: 'The rules are evaluated shortly.' };
  if (found === 'none')
    return {
      step,
      outcome: 'skipped',
      at: null,
      detail: 'No rule is enabled, or it is neither the end of a run nor a failed job.',
    };
  const at = found.evaluatedAt.toISOString();
  if (found.isFaulty)
    return { step, outcome: 'failed', at, detail: 'The rules could not be evaluated: see the log.' };
  const rules = found.rules.map((rule) => ({
    ruleId: rule.ruleId,
    name: rule.name,
    outcome: rule.outcome,
    reason: rule.reason,
    detail: detailOf(rule),
  }));
  return { step, outcome: outcomeOf(found.rules), at, detail: summaryOf(found), rules };
}

function outcomeOf(rules: readonly EvaluatedRule[]): StepOutcome {
  const has = (outcome: EvaluatedRule['outcome']): boolean => rules.some((rule) => rule.outcome === outcome);
  if (has('waiting')) return 'waiting';
  if (has('failed')) return 'failed';
  return has('sent') ? 'done' : 'skipped';
}

const counted = { opened: 'It opened an incident. ', counted: 'The open incident counts it. ' };

function summaryOf({ rules, conclusion, hasClosedIncident, countedAs }: KnownEvaluation): string {
  if (conclusion === 'success') {
    if (!hasClosedIncident) return 'A success: no incident was open for it to resolve.';
    return rules.length === 0
      ? 'It resolved an incident. No rule notifies about that.'
      : `It resolved an incident. ${count(rules.length, 'rule')} to notify.`;
  }
  const about = countedAs === null ? '' : counted[countedAs];
  if (rules.length === 0) return `${about}No enabled rule matches.`;
  const suppressed = rules.filter(({ outcome }) => outcome === 'suppressed').length;
  const matched = `${count(rules.length, 'rule')} ${rules.length === 1 ? 'matches' : 'match'}`;
  return about + (suppressed === 0 ? `${matched}.` : `${matched}, ${suppressed} suppressed.`);
}

function detailOf({ reason, outcome, sent, channels, problems }: EvaluatedRule): string {
  if (reason !== null) return reasons[reason];
  if (outcome === 'waiting') return `The message waits: sent to ${sent} of ${count(channels, 'channel')}.`;
  return [`Sent to ${sent} of ${count(channels, 'channel')}.`, ...problems].join(' ');
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

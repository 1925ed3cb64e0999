import { completeRule, type RuleBody } from '#contract/alerts/alerts.ts';

/** A rule that matches every failure and has no cooldown; `fields` override it. */
export function ruleBody(fields: Partial<RuleBody> = {}): RuleBody {
  return completeRule({ name: 'Broken main', cooldownMinutes: 0, ...fields });
}

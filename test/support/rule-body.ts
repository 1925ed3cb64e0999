import { completeRule, type RuleBody } from '#contract/alerts.ts';

/** A rule that takes every bad end and tells of each, with what a test says otherwise. */
export function ruleBody(fields: Partial<RuleBody> = {}): RuleBody {
  return completeRule({ name: 'Broken main', cooldownMinutes: 0, ...fields });
}

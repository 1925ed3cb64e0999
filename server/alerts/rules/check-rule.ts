import { mostPatternCharacters, patternNames, type PatternName } from '#contract/alerts/alerts.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import { checkTimeZone } from '#server/rollups/time-span.ts';
import type { RuleFilter } from './matching-rules.ts';

/**
 * Checks what the schema of a rule does not: its time zone, and the length of all its patterns together.
 * @throws AppError `invalid_request` that names the field
 */
export function checkRule(rule: RuleFilter): void {
  checkTimeZone(rule.timeZone);
  limitPatterns(rule);
}

/** Names the field with the most characters. */
function limitPatterns(rule: RuleFilter): void {
  const lengthOf = (field: PatternName): number =>
    [...rule[field].include, ...rule[field].exclude].join('').length;
  const total = patternNames.reduce((sum, field) => sum + lengthOf(field), 0);
  if (total <= mostPatternCharacters) return;
  const [field = ''] = [...patternNames].sort((a, b) => lengthOf(b) - lengthOf(a));
  const message = `is the longest of the patterns of this rule, which have ${total} characters; the limit for all together is ${mostPatternCharacters}`;
  throw invalidField(field, message);
}

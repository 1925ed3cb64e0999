import { mostPatternCharacters, patternNames, type PatternName } from '#contract/alerts/alerts.ts';
import { invalidField } from '#platform/runtime/app-error.ts';
import type { RuleFilter } from './matching-rules.ts';

/** @throws AppError `invalid_request` that names the field with the most characters */
export function limitPatterns(rule: RuleFilter): void {
  const lengthOf = (field: PatternName): number =>
    [...rule[field].include, ...rule[field].exclude].join('').length;
  const total = patternNames.reduce((sum, field) => sum + lengthOf(field), 0);
  if (total <= mostPatternCharacters) return;
  const [field = ''] = [...patternNames].sort((a, b) => lengthOf(b) - lengthOf(a));
  const message = `is the longest of the patterns of this rule, which have ${total} characters; the limit for all together is ${mostPatternCharacters}`;
  throw invalidField(field, message);
}

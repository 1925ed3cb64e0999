import { mostPatternCharacters, patternNames, type PatternName } from '#contract/alerts.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import type { RuleFilter } from './matching-rules.ts';

/** @throws AppError `invalid_request` naming the field with most of what is too much */
export function limitPatterns(rule: RuleFilter): void {
  const lengthOf = (field: PatternName): number =>
    [...rule[field].include, ...rule[field].exclude].join('').length;
  const total = patternNames.reduce((sum, field) => sum + lengthOf(field), 0);
  if (total <= mostPatternCharacters) return;
  const [field = ''] = [...patternNames].sort((a, b) => lengthOf(b) - lengthOf(a));
  const message = `has most of the ${total} characters of the rule's patterns; all together may have ${mostPatternCharacters}`;
  throw new AppError('invalid_request', { errors: [{ field, message }] });
}

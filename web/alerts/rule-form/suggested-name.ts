import type { RuleWatch } from '#contract/alerts/alerts.ts';
import { patternsOf } from '../pattern-text.ts';
import { clip } from '../../ui/text/clip.ts';
import { watchNames } from './rule-names.ts';

const mostCharacters = 100;

/** The name of a rule that nobody named, for lists and notifications. */
export function suggestedName(draft: {
  watch: RuleWatch;
  defaultBranchOnly: boolean;
  branches: string;
  repositories: string;
}): string {
  const names = (patterns: string): string => patternsOf(patterns).include.join(', ');
  const branch = draft.defaultBranchOnly ? 'default branch' : names(draft.branches) || 'any branch';
  const repositories = names(draft.repositories);
  if (draft.watch === 'weekly_digest')
    return clip(
      `${watchNames[draft.watch]}${repositories === '' ? '' : ` of ${repositories}`}`,
      mostCharacters,
    );
  const place = `${branch}${repositories === '' ? '' : ` of ${repositories}`}`;
  const text = draft.watch === 'failure' ? `Broken ${place}` : `${watchNames[draft.watch]}: ${place}`;
  return clip(text, mostCharacters);
}

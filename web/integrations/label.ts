import { hasHiddenCharacters } from '#contract/base/plain-text.ts';

const longest = 100;

/** The problem with an integration name; undefined when it is valid. */
export function labelProblem(label: string): string | undefined {
  if (label.trim() === '') return 'Enter a name.';
  if (label.trim().length > longest) return `At most ${longest} characters.`;
  return hasHiddenCharacters(label) ? 'Use one line of text without invisible characters.' : undefined;
}

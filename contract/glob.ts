import type { GlobFilter } from './alerts.ts';

/** What `/` means to `*` and `?`: a border, as in paths and branches, or a character like any other, as in names. */
export type SlashMeaning = 'border' | 'character';

/**
 * Whether the whole text fits the pattern, upper and lower case alike: `*` is any text within borders, `**` any text,
 * `?` one character. Never takes longer than the product of both lengths, whatever a person enters.
 */
export function matchesGlob(text: string, pattern: string, slash: SlashMeaning): boolean {
  const letters = text.toLowerCase();
  const tokens = tokensOf(pattern.toLowerCase());
  // reached[i]: the tokens so far fit the first i characters.
  let reached: boolean[] = [true];
  for (const token of tokens) reached = afterToken(reached, token, letters, slash);
  return reached[letters.length] === true;
}

function tokensOf(pattern: string): string[] {
  return pattern.match(/\*{2,}|[^]/g) ?? [];
}

function afterToken(before: boolean[], token: string, text: string, slash: SlashMeaning): boolean[] {
  const after: boolean[] = [];
  const isMany = token.startsWith('*');
  const stops = (character: string | undefined): boolean =>
    character === '/' && slash === 'border' && token.length === 1;
  for (let end = 0; end <= text.length; end += 1) {
    const last = text[end - 1];
    const fits = token === '?' || isMany ? !stops(last) : last === token;
    if (isMany) after[end] = before[end] === true || (end > 0 && after[end - 1] === true && fits);
    else after[end] = end > 0 && before[end - 1] === true && fits;
  }
  return after;
}

/** A name that is not known fits no pattern; without patterns to include, every other is taken. */
export function passesGlobs(
  { include, exclude }: GlobFilter,
  name: string | null,
  slash: SlashMeaning,
): boolean {
  const fits = (pattern: string): boolean => name !== null && matchesGlob(name, pattern, slash);
  return (include.length === 0 || include.some(fits)) && !exclude.some(fits);
}

/** Where a run or job ended. */
export interface Place {
  repository: string;
  workflow: string | null;
  /** `owner:branch` for a fork's, so that its `main` is not ours. */
  branch: string | null;
}

/** Whether a rule looks at what ends there: the server and the preview of the editor agree by asking this. */
export function looksAt(
  { repositories, workflows, branches }: Record<'repositories' | 'workflows' | 'branches', GlobFilter>,
  { repository, workflow, branch }: Place,
): boolean {
  return (
    passesGlobs(repositories, repository, 'border') &&
    passesGlobs(branches, branch, 'border') &&
    passesGlobs(workflows, workflow, 'character')
  );
}

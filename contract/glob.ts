import type { GlobFilter } from './alerts.ts';

/** What `/` means to `*` and `?`: a border, as in paths and branches, or a character like any other, as in names. */
export type SlashMeaning = 'border' | 'character';

/**
 * Whether the whole text fits the pattern, upper and lower case alike: `*` is any text within borders, `**` any text,
 * `?` one character. Never takes longer than the product of both lengths, whatever a person enters, and ends where
 * nothing fits any more.
 */
export function matchesGlob(text: string, pattern: string, slash: SlashMeaning): boolean {
  const [letters, wanted] = [text.toLowerCase(), pattern.toLowerCase()];
  const { length } = letters;
  // reached[i] is 1 where the pattern so far fits the first i characters: nowhere but between `from` and `to`.
  const reached = new Uint8Array(length + 1);
  reached[0] = 1;
  let [from, to] = [0, 0];
  for (let at = 0; at < wanted.length; at += 1) {
    const token = wanted[at];
    let hasBorders = slash === 'border';
    if (token === '*') {
      for (; wanted[at + 1] === '*'; at += 1) hasBorders = false;
      for (let end = from; end < length; end += 1)
        if (reached[end] === 1 && !(hasBorders && letters[end] === '/')) reached[end + 1] = 1;
      to = length;
      continue;
    }
    let isLost = true;
    for (let end = Math.min(to, length - 1); end >= from; end -= 1) {
      const letter = letters[end];
      const fits =
        reached[end] === 1 && (letter === token || (token === '?' && !(hasBorders && letter === '/')));
      reached[end + 1] = fits ? 1 : 0;
      if (fits) isLost = false;
    }
    if (isLost) return false;
    reached[from] = 0;
    from += 1;
    to = Math.min(to + 1, length);
  }
  return reached[length] === 1;
}

/** What was answered before, as the same names come again and again; goes with the filter. */
const answers = {
  border: new WeakMap<GlobFilter, Map<string, boolean>>(),
  character: new WeakMap<GlobFilter, Map<string, boolean>>(),
};

/** A name that is not known fits no pattern; without patterns to include, every other is taken. */
export function passesGlobs(filter: GlobFilter, name: string | null, slash: SlashMeaning): boolean {
  const { include, exclude } = filter;
  if (name === null || include.length + exclude.length === 0) return include.length === 0;
  const known = answers[slash].get(filter) ?? new Map<string, boolean>();
  answers[slash].set(filter, known);
  const fits = (pattern: string): boolean => matchesGlob(name, pattern, slash);
  const answer = known.get(name) ?? ((include.length === 0 || include.some(fits)) && !exclude.some(fits));
  known.set(name, answer);
  return answer;
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

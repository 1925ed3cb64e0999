import { isMergeQueue } from '../runs/merge-group.ts';
import type { GlobFilter, RuleBody } from './alerts.ts';

/** Whether `*` and `?` stop at `/`: yes in paths and branches (`border`), no in names (`character`). */
export type SlashMeaning = 'border' | 'character';

/**
 * Whether the whole text matches the pattern, case-insensitively: `*` matches any text within borders, `**` any text, `?`
 * one character. The time is bounded by the product of both lengths for any pattern.
 */
export function matchesGlob(text: string, pattern: string, slash: SlashMeaning): boolean {
  const [characters, wanted] = [text.toLowerCase(), pattern.toLowerCase()];
  const { length } = characters;
  // reached[i] is 1 if the pattern so far matches the first i characters. Always 0 outside of `from` to `to`.
  const reached = new Uint8Array(length + 1);
  reached[0] = 1;
  let [from, to] = [0, 0];
  for (let at = 0; at < wanted.length; at += 1) {
    const token = wanted[at];
    let hasBorders = slash === 'border';
    if (token === '*') {
      for (; wanted[at + 1] === '*'; at += 1) hasBorders = false;
      for (let end = from; end < length; end += 1)
        if (reached[end] === 1 && !(hasBorders && characters[end] === '/')) reached[end + 1] = 1;
      to = length;
      continue;
    }
    let isFailed = true;
    for (let end = Math.min(to, length - 1); end >= from; end -= 1) {
      const character = characters[end];
      const fits =
        reached[end] === 1 && (character === token || (token === '?' && !(hasBorders && character === '/')));
      reached[end + 1] = fits ? 1 : 0;
      if (fits) isFailed = false;
    }
    if (isFailed) return false;
    reached[from] = 0;
    from += 1;
    to = Math.min(to + 1, length);
  }
  return reached[length] === 1;
}

/** Cached results per filter, because the same names occur often. */
const answers = {
  border: new WeakMap<GlobFilter, Map<string, boolean>>(),
  character: new WeakMap<GlobFilter, Map<string, boolean>>(),
};

/** An unknown name (null) matches no pattern. Without `include` patterns, all names not excluded pass. */
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

/** Of a thing that was renamed: a pattern that matches one of its names matches it. */
function passesWithNames(filter: GlobFilter, names: readonly string[], slash: SlashMeaning): boolean {
  const { include, exclude } = filter;
  const fits = (pattern: string): boolean => names.some((name) => matchesGlob(name, pattern, slash));
  return (include.length === 0 || include.some(fits)) && !exclude.some(fits);
}

/** The origin of a completed run or job. */
export interface Place {
  repository: string;
  workflow: string | null;
  /** `owner:branch` for a fork, so that its `main` differs from ours. */
  branch: string | null;
  /** Whether it is the default branch of the repository. A missing value counts as no. */
  onDefaultBranch?: boolean;
  /** All names of the repository and the workflow, if one of them was renamed. */
  names?: { repository: readonly string[]; workflow: readonly string[] };
}

export type PlaceFilter = Pick<RuleBody, 'repositories' | 'workflows' | 'branches' | 'defaultBranchOnly'>;

/** Whether the filters of a rule match. Shared by the server and the preview in the rule editor. */
export function looksAt(
  { repositories, workflows, branches, defaultBranchOnly }: PlaceFilter,
  { repository, workflow, branch, onDefaultBranch = false, names }: Place,
): boolean {
  return (
    (onDefaultBranch || !defaultBranchOnly) &&
    (names === undefined
      ? passesGlobs(repositories, repository, 'border') && passesGlobs(workflows, workflow, 'character')
      : passesWithNames(repositories, names.repository, 'border') &&
        passesWithNames(workflows, names.workflow, 'character')) &&
    passesGlobs(branches, branch, 'border') &&
    // A rule that names branches is not about the merge queue of a pull request.
    !(branches.include.length > 0 && isMergeQueue(branch))
  );
}

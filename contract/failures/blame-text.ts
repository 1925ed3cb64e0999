import type { Blame, FirstBad } from './blame.ts';

/** More candidates are in the API only. */
export const maxShownCandidates = 5;

const withoutCommit = {
  flaky: 'None (flaky)',
  infrastructure: 'None (infrastructure)',
  same_commit: 'None (the same one passed before)',
  merge_group: 'Not known (the merge queue tests several pull requests together)',
  no_success_before: 'Not known (no success before it)',
} as const;

/** The commit that broke it with who pushed it, or why none is named. Undefined when nothing is known. */
export function blameText({ firstBad, candidates, noBlame }: Blame): string | undefined {
  if (firstBad !== null)
    return firstBad.actor === null ? commitText(firstBad) : `${commitText(firstBad)} by ${firstBad.actor}`;
  if (noBlame === null) return undefined;
  if (noBlame !== 'several_commits') return withoutCommit[noBlame];
  const more = candidates.length > maxShownCandidates ? ', …' : '';
  const shown = candidates.slice(0, maxShownCandidates).map(commitText).join(', ');
  return `One of ${candidates.length} commits: ${shown}${more}`;
}

export function commitText({ sha, runId }: Pick<FirstBad, 'sha' | 'runId'>): string {
  return sha === null ? `run ${runId}` : sha.slice(0, 7);
}

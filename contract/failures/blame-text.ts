import type { Blame, FirstBad } from './blame.ts';

const reasons: Record<Exclude<Blame['noBlame'], null | 'several_commits'>, string> = {
  flaky: 'No commit: flaky',
  infrastructure: 'No commit: infrastructure',
  same_commit: 'No commit: the same one passed before',
  no_success_before: 'Not known: no success before it',
};

/** The commit that broke it with who pushed it, or why none is named. Undefined when nothing is known. */
export function blameText({ firstBad, candidates, noBlame }: Blame): string | undefined {
  if (firstBad !== null)
    return firstBad.actor === null ? commitText(firstBad) : `${commitText(firstBad)} by ${firstBad.actor}`;
  if (noBlame === null) return undefined;
  return noBlame === 'several_commits' ? `One of ${candidates.length} commits` : reasons[noBlame];
}

export function commitText({ sha, runId }: Pick<FirstBad, 'sha' | 'runId'>): string {
  return sha === null ? `run ${runId}` : sha.slice(0, 7);
}

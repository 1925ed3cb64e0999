import type { FirstBad } from '#contract/failures/blame.ts';
import type { BranchCommit } from '../commits/commit-range-store.ts';

export const maxCandidates = 20;

/**
 * The commits that can have broken it, oldest first: those of the forge when they were read, because a push of several commits runs for
 * the last one only; otherwise those with runs. A commit without a run stands for the next run, which contains it.
 */
export function candidatesOf(
  withRuns: readonly FirstBad[],
  ofForge: readonly BranchCommit[] | null,
  firstRunId: number,
): FirstBad[] {
  if (ofForge === null || ofForge.length === 0) return [...withRuns];
  const runs = new Map(withRuns.map((commit) => [commit.sha, commit]));
  let runId = firstRunId;
  return ofForge
    .toReversed()
    .map(({ sha, title, author }): FirstBad => {
      const own = runs.get(sha);
      runId = own?.runId ?? runId;
      return own ?? { runId, sha, title, actor: author };
    })
    .toReversed();
}

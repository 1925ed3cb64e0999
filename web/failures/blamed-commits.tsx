import { Fragment } from 'react';
import type { Blame } from '#contract/failures/blame.ts';
import { blameText, commitText, maxShownCandidates } from '#contract/failures/blame-text.ts';
import { ShaLink } from '../runs/sha-link.tsx';
import { clip } from '../ui/text/clip.ts';

/** The commit that broke a workflow and who pushed it, or why none is named. */
export function BlameLine({ blame }: { blame: Blame }) {
  const { firstBad, candidates, noBlame } = blame;
  const named =
    noBlame === null
      ? candidates
      : noBlame === 'several_commits'
        ? candidates.slice(0, maxShownCandidates)
        : [];
  if (named.length === 0) return <bdi>{blameText(blame)}</bdi>;
  return (
    <bdi title={firstBad?.title ? clip(firstBad.title) : undefined}>
      {firstBad === null && `One of ${candidates.length} commits: `}
      {named.map((commit, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          <Commit commit={commit} blame={blame} />
        </Fragment>
      ))}
      {named.length < candidates.length && ', …'}
      {firstBad !== null && firstBad.actor !== null && ` by ${clip(firstBad.actor, 100)}`}
    </bdi>
  );
}

/** The same in a cell, and the last commit that passed. */
export function BlamedCommits(blame: Blame) {
  const { lastGreen } = blame;
  if (lastGreen === null && blameText(blame) === undefined) return null;
  return (
    <span className="block">
      <span className="block">
        <BlameLine blame={blame} />
      </span>
      {lastGreen !== null && (
        <span className="block text-xs">
          Last green <Commit commit={lastGreen} blame={blame} />
        </span>
      )}
    </span>
  );
}

function Commit({ commit, blame }: { commit: { sha: string | null; runId: number }; blame: Blame }) {
  if (commit.sha === null) return commitText(commit);
  return <ShaLink sha={commit.sha} repositoryUrl={blame.repositoryUrl} />;
}

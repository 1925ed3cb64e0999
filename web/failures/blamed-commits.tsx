import type { Blame } from '#contract/failures/blame.ts';
import { blameText, commitText } from '#contract/failures/blame-text.ts';
import { clip } from '../ui/text/clip.ts';

const maxCandidates = 5;

/** The commit that broke a workflow and who pushed it, or all that can have; and the last one that passed. */
export function BlamedCommits(blame: Blame) {
  const { firstBad, candidates, noBlame, lastGreen } = blame;
  return (
    <span className="block">
      <BlameLine {...blame} />
      {noBlame === 'several_commits' && (
        <span className="block text-xs">
          {candidates.slice(0, maxCandidates).map((commit) => (
            <code key={commit.runId} className="mr-2 font-mono" title={clip(commit.title ?? '')}>
              {commitText(commit)}
            </code>
          ))}
          {candidates.length > maxCandidates && `and ${candidates.length - maxCandidates} more`}
        </span>
      )}
      {(firstBad !== null || lastGreen !== null) && (
        <span className="block text-xs">
          {lastGreen === null ? (
            'No earlier success known'
          ) : (
            <>
              Last green{' '}
              <code className="font-mono">{commitText({ sha: lastGreen.sha, runId: lastGreen.runId })}</code>
            </>
          )}
        </span>
      )}
    </span>
  );
}

function BlameLine(blame: Blame) {
  const { firstBad } = blame;
  const text = blameText(blame);
  if (text === undefined) return null;
  return (
    <span
      className="block columns:whitespace-nowrap"
      title={firstBad?.title ? clip(firstBad.title) : undefined}
    >
      {firstBad === null ? (
        text
      ) : (
        <>
          <code className="font-mono text-xs">{commitText(firstBad)}</code>
          {firstBad.actor !== null && (
            <>
              {' '}
              <bdi>{clip(firstBad.actor, 40)}</bdi>
            </>
          )}
        </>
      )}
    </span>
  );
}

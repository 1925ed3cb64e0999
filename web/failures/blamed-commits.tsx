import type { Blame } from '#contract/failures/blame.ts';
import { blameText, commitText } from '#contract/failures/blame-text.ts';
import { clip } from '../ui/text/clip.ts';

/** The commit that broke a workflow and who pushed it, or why none is named; and the last one that passed. */
export function BlamedCommits(blame: Blame) {
  const { firstBad, lastGreen } = blame;
  return (
    <span className="block">
      <bdi className="block" title={firstBad?.title ? clip(firstBad.title) : undefined}>
        {clip(blameText(blame) ?? '', 200)}
      </bdi>
      {lastGreen !== null && (
        <span className="block text-xs">
          Last green <code className="font-mono">{commitText(lastGreen)}</code>
        </span>
      )}
    </span>
  );
}

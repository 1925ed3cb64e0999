import type { FirstBad, LastGreen } from '#contract/failures/red-workflow.ts';
import { clip } from '../ui/text/clip.ts';

const shortSha = (sha: string): string => sha.slice(0, 7);

/** The commit that broke a workflow, who made it, and the last one that passed. */
export function BlamedCommits({
  firstBad,
  author,
  lastGreen,
}: {
  firstBad: FirstBad | null;
  author: string | null;
  lastGreen: LastGreen | null;
}) {
  return (
    <span className="block">
      <span
        className="block columns:whitespace-nowrap"
        title={firstBad?.title ? clip(firstBad.title) : undefined}
      >
        {firstBad?.sha && <code className="font-mono text-xs">{shortSha(firstBad.sha)} </code>}
        <bdi>{clip(author ?? 'unknown', 40)}</bdi>
      </span>
      <span className="block text-xs">
        {lastGreen === null ? (
          'No earlier success known'
        ) : (
          <>
            Last green{' '}
            <code className="font-mono">
              {lastGreen.sha === null ? lastGreen.runId : shortSha(lastGreen.sha)}
            </code>
          </>
        )}
      </span>
    </span>
  );
}

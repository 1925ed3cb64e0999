import type { Change } from '#contract/metrics/changes.ts';
import type { RunPoint } from '#contract/failures/failures.ts';
import { RunLink } from '../runs/run-link.tsx';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { linkLook, OutsideLink } from '../ui/text/text-link.tsx';
import { timeFormat } from '../ui/time/time-format.ts';

const formats = { hour: timeFormat('hour'), day: timeFormat('day') } as const;

/** When the level moved, with the first run after that moment, the last one before it and the commits between them. */
export function Since({ since }: Pick<Change, 'since'>) {
  if (since === null) return <span className="text-muted">No clear moment</span>;
  const { at, precision, before, after, compareUrl } = since;
  const url = safeUrl(compareUrl);
  const format = formats[precision === 'day' ? 'day' : 'hour'];
  return (
    <span>
      <time dateTime={at}>{format(Date.parse(at))}</time>
      {after !== null && (
        <span className="block">
          <RunLink runId={after.runId} className={linkLook}>
            <bdi>{clip(after.title ?? 'Run', 80)}</bdi>
          </RunLink>
          {after.actor !== null && <bdi className="text-muted"> {clip(after.actor, 60)}</bdi>}
        </span>
      )}
      <span className="flex flex-wrap gap-x-3 text-xs text-muted">
        {before !== null && (
          <span>
            Last run before:{' '}
            <RunLink runId={before.runId} className={linkLook}>
              <bdi>{nameOf(before)}</bdi>
            </RunLink>
          </span>
        )}
        {url && (
          <OutsideLink href={url} about="at the forge">
            Commits between
          </OutsideLink>
        )}
        {before === null && after === null && 'The runs of that time are deleted.'}
      </span>
    </span>
  );
}

function nameOf({ runNumber, headSha, runId }: RunPoint): string {
  return runNumber === null ? (headSha?.slice(0, 10) ?? String(runId)) : `#${runNumber}`;
}

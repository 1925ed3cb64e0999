import type { Change, Moment } from '#contract/metrics/changes.ts';
import type { RunPoint } from '#contract/failures/failures.ts';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { OutsideLink, TextLink } from '../ui/text/text-link.tsx';
import { timeFormat } from '../ui/time/time-format.ts';

const formats = { hour: timeFormat('hour'), day: timeFormat('day') } as const;

/** When the level moved, and the commits around that moment. */
export function Since({ integrationId, change: { since } }: { integrationId: string; change: Change }) {
  if (since === null) return <span className="text-muted">No clear moment</span>;
  const { at, precision, before, after, compareUrl } = since;
  const url = safeUrl(compareUrl);
  const format = formats[precision === 'day' ? 'day' : 'hour'];
  return (
    <span>
      <time dateTime={at}>{format(Date.parse(at))}</time>
      {after !== null && <Commit integrationId={integrationId} run={after} />}
      <Before integrationId={integrationId} before={before} url={url} />
      {before === null && after === null && (
        <span className="block text-xs text-muted">The runs of that time are deleted.</span>
      )}
    </span>
  );
}

/** The first run after the moment, by its commit. */
function Commit({ integrationId, run }: { integrationId: string; run: RunPoint }) {
  return (
    <span className="block">
      <RunLink integrationId={integrationId} run={run} text={clip(run.title ?? 'Run', 80)} />
      {run.actor !== null && <bdi className="text-muted"> {clip(run.actor, 60)}</bdi>}
    </span>
  );
}

function Before({
  integrationId,
  before,
  url,
}: {
  integrationId: string;
  before: Moment['before'];
  url: string | undefined;
}) {
  if (before === null && url === undefined) return null;
  return (
    <span className="flex flex-wrap gap-x-3 text-xs text-muted">
      {before !== null && (
        <span>
          Last run before: <RunLink integrationId={integrationId} run={before} text={nameOf(before)} />
        </span>
      )}
      {url !== undefined && (
        <OutsideLink href={url} about="at the forge">
          Commits between
        </OutsideLink>
      )}
    </span>
  );
}

function nameOf({ runNumber, headSha, runId }: RunPoint): string {
  return runNumber === null ? (headSha?.slice(0, 10) ?? String(runId)) : `#${runNumber}`;
}

function RunLink({ integrationId, run, text }: { integrationId: string; run: RunPoint; text: string }) {
  return (
    <TextLink
      to="/integrations/$integrationId/runs/$runId"
      params={{ integrationId, runId: String(run.runId) }}
    >
      <bdi>{text}</bdi>
    </TextLink>
  );
}

import type { FailureStart as Start, RunPoint } from '#contract/failures/failures.ts';
import { blameText } from '#contract/failures/blame-text.ts';
import { RunLink } from '../../runs/run-link.tsx';
import { Section } from '../../ui/page/page-body.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { linkLook, OutsideLink } from '../../ui/text/text-link.tsx';
import { Fact } from '../../ui/text/fact.tsx';

/** The last run that passed and the first one that failed, with the commits between both. */
export function FailureStart({ start }: { start: Start }) {
  const { branch, firstRed, lastGreen, blame } = start;
  const url = safeUrl(start.compareUrl);
  return (
    <Section title={branch === null ? 'Where it began' : `Where it began on ${clip(branch, 100)}`}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
        <Fact name="Last passed">
          {lastGreen === null ? 'None of the last runs passed' : <Point point={lastGreen} />}
        </Fact>
        <Fact name="First failed">
          <Point point={firstRed} />
        </Fact>
        <Fact name="First bad commit">
          <bdi>{clip(blameText(blame) ?? '', 200)}</bdi>
        </Fact>
      </dl>
      {url && (
        <OutsideLink href={url} about="at the forge" className="mt-2">
          Commits between both
        </OutsideLink>
      )}
    </Section>
  );
}

function Point({ point }: { point: RunPoint }) {
  const { runId, runNumber, title, headSha, createdAt } = point;
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
      <RunLink runId={runId} className={linkLook}>
        <bdi>{clip(title ?? 'Run')}</bdi>
        {runNumber !== null && ` #${runNumber}`}
      </RunLink>
      {headSha !== null && <code className="font-mono text-xs text-muted">{headSha.slice(0, 10)}</code>}
      <span className="text-muted">
        <TimeAgo time={createdAt} isFocusable />
      </span>
    </span>
  );
}

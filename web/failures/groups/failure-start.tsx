import type { FailureStart as Start, RunPoint } from '#contract/failures/failures.ts';
import { RunLink } from '../../runs/run-link.tsx';
import { ShaLink } from '../../runs/sha-link.tsx';
import { BlameLine } from '../blamed-commits.tsx';
import { CommitsBetween } from '../commits-between.tsx';
import { Section } from '../../ui/page/page-body.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TimeAgo } from '../../ui/time/time.tsx';
import { linkLook } from '../../ui/text/text-link.tsx';
import { Fact } from '../../ui/text/fact.tsx';

/** The last run that passed and the first one that failed, with the commits between both. */
export function FailureStart({
  integrationId,
  repository,
  start,
}: {
  integrationId: string;
  repository: string;
  start: Start;
}) {
  const { branch, firstRed, lastGreen, blame } = start;
  const { repositoryUrl } = blame;
  return (
    <Section title={branch === null ? 'Where it began' : `Where it began on ${clip(branch, 100)}`}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1">
        <Fact name="Last passed">
          {lastGreen === null ? (
            'None of the last runs passed'
          ) : (
            <Point point={lastGreen} repositoryUrl={repositoryUrl} />
          )}
        </Fact>
        <Fact name="First failed">
          <Point point={firstRed} repositoryUrl={repositoryUrl} />
        </Fact>
        <Fact name="First bad commit">
          <BlameLine blame={blame} />
        </Fact>
      </dl>
      {blame.candidates.length > 0 && (
        // The usual height of what arrives later.
        <div className="mt-3 min-h-17">
          <CommitsBetween integrationId={integrationId} repository={repository} runId={firstRed.runId} />
        </div>
      )}
    </Section>
  );
}

function Point({ point, repositoryUrl }: { point: RunPoint; repositoryUrl: string | null }) {
  const { runId, runNumber, title, headSha, createdAt } = point;
  return (
    <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
      <RunLink runId={runId} className={linkLook}>
        <bdi>{clip(title ?? 'Run')}</bdi>
        {runNumber !== null && ` #${runNumber}`}
      </RunLink>
      {headSha !== null && <ShaLink sha={headSha} repositoryUrl={repositoryUrl} />}
      <span className="text-muted">
        <TimeAgo time={createdAt} isFocusable />
      </span>
    </span>
  );
}

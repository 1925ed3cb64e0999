import type { EarlierRun, PreviousResult as Previous, WorkflowRun } from '#contract/runs/runs.ts';
import { compareUrl } from '#contract/base/compare-url.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { RunLink } from '../run-link.tsx';
import { StatusMark } from '../status-mark.tsx';
import { ShaLink } from '../sha-link.tsx';

const maxCounted = 200;

/** How the workflow ended on the branch before this run, since when, and the commits since it last passed. */
export function PreviousResult({ run, previous }: { run: WorkflowRun; previous: Previous | null }) {
  if (previous === null) return null;
  const { newest, first, runs, before } = previous;
  const passed = newest.conclusion === 'success';
  const lastGreen = passed ? newest : before;
  const url = safeUrl(compareUrl(repositoryUrl(run.url), lastGreen?.headSha ?? null, run.headSha));
  return (
    <section aria-label="Previous result" className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
      <span className="inline-flex flex-wrap items-center gap-x-2">
        Previous run <StatusMark status="completed" conclusion={newest.conclusion} />
        <Numbered run={newest} />
        <TimeAgo time={newest.createdAt} isFocusable />
      </span>
      {runs > 1 && (
        <span>
          {passed ? 'Passing' : 'Failing'} since <Numbered run={first} />{' '}
          <TimeAgo time={first.createdAt} isFocusable />, {runs >= maxCounted ? `${maxCounted}+` : runs} runs
        </span>
      )}
      {!passed && before !== null && (
        <span>
          Last passed <Numbered run={before} />{' '}
          {before.headSha && <ShaLink sha={before.headSha} repositoryUrl={repositoryUrl(run.url)} />}
        </span>
      )}
      {url && lastGreen && (
        <OutsideLink href={url} about="at the forge">
          Commits since #{lastGreen.runNumber ?? lastGreen.runId}
        </OutsideLink>
      )}
    </section>
  );
}

function Numbered({ run: { runId, runNumber } }: { run: EarlierRun }) {
  return <RunLink runId={runId}>#{runNumber ?? runId}</RunLink>;
}

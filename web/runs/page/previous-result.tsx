import { Link } from '@tanstack/react-router';
import type { EarlierRun, PreviousResult as Previous, WorkflowRun } from '#contract/runs/runs.ts';
import { clip } from '../../ui/text/clip.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';
import { TimeAgo } from '../../ui/time/time.tsx';
import { StatusMark } from '../status-mark.tsx';
import { commitsUrl } from './commits-url.ts';

const maxCounted = 200;

/** How the workflow ended on the branch before this run, since when, and the commits since it last passed. */
export function PreviousResult({ run, previous }: { run: WorkflowRun; previous: Previous | null }) {
  if (previous === null) return null;
  const { newest, first, runs, before } = previous;
  const passed = newest.conclusion === 'success';
  const lastGreen = passed ? newest : before;
  const url = commitsUrl(run, lastGreen?.headSha ?? null, run.headSha);
  return (
    <section aria-label="Previous result" className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span className="inline-flex flex-wrap items-center gap-x-2">
        <span className="text-muted">Previous run</span>
        <StatusMark status="completed" conclusion={newest.conclusion} />
        <RunLink run={run} to={newest} />
        <span className="text-muted">
          <TimeAgo time={newest.createdAt} isFocusable />
        </span>
      </span>
      {runs > 1 && (
        <span className="text-muted">
          {passed ? 'Passing' : 'Failing'} since <RunLink run={run} to={first} />{' '}
          <TimeAgo time={first.createdAt} isFocusable />, {runs >= maxCounted ? `${maxCounted}+` : runs} runs
        </span>
      )}
      {!passed && (
        <span className="text-muted">
          First bad commit <Commit of={first} />
        </span>
      )}
      {!passed && before !== null && (
        <span className="text-muted">
          Last passed <RunLink run={run} to={before} /> <Commit of={before} />
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

function RunLink({ run, to }: { run: WorkflowRun; to: EarlierRun }) {
  return (
    <Link
      to="/integrations/$integrationId/runs/$runId"
      params={{ integrationId: run.integrationId, runId: String(to.runId) }}
      className="rounded-xs underline decoration-line-strong underline-offset-3 hover:decoration-current"
    >
      #{to.runNumber ?? to.runId}
    </Link>
  );
}

function Commit({ of: { headSha, actor } }: { of: EarlierRun }) {
  return (
    <>
      {headSha !== null && <code className="font-mono text-xs">{headSha.slice(0, 7)}</code>}
      {actor !== null && (
        <>
          {' '}
          by <bdi>{clip(actor, 60)}</bdi>
        </>
      )}
    </>
  );
}

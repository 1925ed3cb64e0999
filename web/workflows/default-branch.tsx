import type { WorkflowRunPage } from '#contract/runs/runs.ts';
import { RunStrip } from '../overview/run-strip.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { titleOf } from '../runs/run-texts.ts';
import { StatusMark } from '../runs/status-mark.tsx';
import { formatCount } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { TimeFor } from '../ui/time/time.tsx';
import { branchState } from './branch-state.ts';

/** Whether the workflow passes on the default branch, for how long, and its last runs there. */
export function DefaultBranch({
  page,
  workflow,
}: {
  /** Its newest runs there. */
  page: WorkflowRunPage;
  workflow: string;
}) {
  const state = branchState(page);
  return (
    <section
      aria-label="Default branch"
      className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2"
    >
      {state === undefined ? (
        <span className="text-muted">No run on the default branch has passed or failed.</span>
      ) : (
        <>
          <StatusMark status={state.newest.status} conclusion={state.newest.conclusion} />
          <span>
            on{' '}
            <bdi className="font-mono text-xs">
              {clip(state.newest.headBranch ?? 'the default branch', 60)}
            </bdi>{' '}
            <TimeFor time={state.first.createdAt} isFocusable />
            {state.isStartKnown
              ? `, ${formatCount(state.runs, 'run')}`
              : ` or longer, ${formatCount(state.runs, 'run')} or more`}
          </span>
          {state.isStartKnown && (
            <span className="min-w-0 text-muted">
              first:{' '}
              <RunLink runId={state.first.runId}>
                <bdi>{clip(titleOf(state.first), 80)}</bdi>
              </RunLink>
              {state.first.actor !== null && <bdi> by {clip(state.first.actor, 60)}</bdi>}
            </span>
          )}
          <span className="md:ml-auto">
            <RunStrip runs={page.items} workflow={workflow} />
          </span>
        </>
      )}
    </section>
  );
}

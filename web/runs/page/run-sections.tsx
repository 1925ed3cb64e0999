import type { RunAttempt, WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import { useConfig } from '../../api/config.ts';
import { PullRequestLink } from '../../pull-requests/pull-request-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { StatusMark } from '../status-mark.tsx';

/** Switches between the attempts of a run. */
export function Attempts({
  attempts,
  shown,
  onShow,
}: {
  attempts: readonly RunAttempt[];
  shown: number;
  onShow: (attempt: number) => void;
}) {
  if (attempts.length < 2) return null;
  return (
    <fieldset aria-label="Attempts" className="min-w-0 flex flex-wrap gap-2">
      {attempts.map(({ attempt, status, conclusion }) => (
        <button
          key={attempt}
          type="button"
          aria-pressed={attempt === shown}
          className="inline-flex h-8 items-center gap-2 rounded-md border border-line px-3 hover:bg-hover aria-pressed:border-accent aria-pressed:bg-selected pointer-coarse:h-10"
          onClick={() => onShow(attempt)}
        >
          Attempt {attempt}
          <StatusMark status={status} conclusion={conclusion} />
        </button>
      ))}
    </fieldset>
  );
}

/** The pull requests of a run, each with its page and its page at the forge. */
export function PullRequests({
  run: { integrationId, repository },
  pullRequests,
}: { run: WorkflowRun } & Pick<WorkflowRunDetail, 'pullRequests'>) {
  const config = useConfig();
  if (pullRequests.length === 0) return null;
  return (
    <section aria-labelledby="pull-requests-title">
      <h2 id="pull-requests-title" className="mb-1 font-semibold">
        Pull requests
      </h2>
      <ul className="flex flex-col gap-1">
        {pullRequests.map(({ number, title, state, author, url }) => (
          <li key={number} className="flex min-w-0 flex-wrap gap-x-2">
            <PullRequestLink
              integrationId={integrationId}
              repository={repository}
              number={number}
              className="text-accent underline"
            >
              <bdi>{`#${number} ${clip(title ?? '')}`}</bdi>
            </PullRequestLink>
            <span className="text-muted">
              {state} {author && <bdi>by {clip(author, 100)}</bdi>}
            </span>
            {safeUrl(url) && (
              <a href={safeUrl(url)} target="_blank" rel="noreferrer" className="text-accent underline">
                on {config?.forgeName ?? 'the forge'}
                <span className="sr-only">: #{number}, in a new tab</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

import type { WorkflowRun, WorkflowRunDetail } from '#contract/runs/runs.ts';
import { useConfig } from '../../api/config.ts';
import { PullRequestLink } from '../../pull-requests/pull-request-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';

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

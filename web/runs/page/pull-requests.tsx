import type { WorkflowRunDetail } from '#contract/runs/runs.ts';
import { useConfig } from '../../api/config.ts';
import { PullRequestLink } from '../../pull-requests/pull-request-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { safeUrl } from '../../ui/text/safe-url.ts';
import { OutsideLink } from '../../ui/text/text-link.tsx';

/** The pull requests of a run, each with its page and its page at the forge. */
export function PullRequests({
  run: { repository },
  pullRequests,
}: Pick<WorkflowRunDetail, 'run' | 'pullRequests'>) {
  const config = useConfig();
  if (pullRequests.length === 0) return null;
  return (
    <section aria-labelledby="pull-requests-title">
      <h2 id="pull-requests-title" className="mb-1 font-semibold">
        Pull requests
      </h2>
      <ul className="flex flex-col gap-1">
        {pullRequests.map(({ number, title, state, author, ...pull }) => {
          const url = safeUrl(pull.url);
          return (
            <li key={number} className="flex min-w-0 flex-wrap gap-x-2">
              <PullRequestLink repository={repository} number={number}>
                <bdi>{`#${number} ${clip(title ?? '')}`}</bdi>
              </PullRequestLink>
              <span className="text-muted">
                {state} {author && <bdi>by {clip(author, 100)}</bdi>}
              </span>
              {url && (
                <OutsideLink href={url} about={`: #${number}`}>
                  on {config?.forgeName ?? 'the forge'}
                </OutsideLink>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

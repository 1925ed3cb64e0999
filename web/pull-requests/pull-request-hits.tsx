import GitPullRequest from 'lucide-react/icons/git-pull-request';
import { clip } from '../ui/text/clip.ts';
import { CheckStateMark } from './check-state.tsx';
import { PullRequestLink } from './pull-request-link.tsx';
import { usePullRequestHits } from './use-pull-request-hits.ts';

/** Above the list of runs: the pull requests that the search also finds. */
export function PullRequestHits({ integrationId, q }: { integrationId: string; q: string | undefined }) {
  const hits = usePullRequestHits(integrationId, q?.trim() ?? '');
  if (hits.length === 0) return null;
  return (
    <ul
      aria-label="Pull requests found"
      className="flex shrink-0 flex-col gap-1 border-b border-line bg-surface px-4 py-2"
    >
      {hits.map(({ repository, number, title, checks }) => (
        <li key={`${repository} ${number}`} className="flex min-w-0 items-center gap-x-2">
          <GitPullRequest size={15} aria-hidden className="shrink-0 text-muted" />
          <PullRequestLink
            repository={repository}
            number={number}
            className="min-w-0 truncate text-accent underline"
          >
            #{number} <bdi>{clip(title ?? 'Pull request')}</bdi>
          </PullRequestLink>
          <bdi className="hidden truncate text-muted md:inline">{clip(repository, 100)}</bdi>
          <span className="ml-auto shrink-0">
            <CheckStateMark checks={checks} />
          </span>
        </li>
      ))}
    </ul>
  );
}

import { useQuery } from '@tanstack/react-query';
import FileWarning from 'lucide-react/icons/file-warning';
import { useState } from 'react';
import type { RangeCommit, RunCommits } from '#contract/failures/commits.ts';
import { compareUrl } from '#contract/base/compare-url.ts';
import { getJson } from '../api/client.ts';
import { PullRequestLink } from '../pull-requests/pull-request-link.tsx';
import { ShaLink } from '../runs/sha-link.tsx';
import { Button } from '../ui/button.tsx';
import { formatNumber } from '../ui/locale.ts';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { OutsideLink } from '../ui/text/text-link.tsx';
import { TimeAgo } from '../ui/time/time.tsx';

const shownFirst = 10;
const askAgainMs = 1_500;

const notes: Partial<Record<RunCommits['state'], string>> = {
  reading: 'The forge is asked for the commits…',
  no_connection: 'Connect the forge in the settings to see the commits in between.',
  unreadable: 'The forge did not return the commits in between.',
};

/** The commits after the last success up to the first failure. Nothing when no commit can be the cause. */
export function CommitRange({
  integrationId,
  repository,
  runId,
}: {
  integrationId: string;
  repository: string;
  /** A red run. */
  runId: number;
}) {
  const { data } = useQuery({
    queryKey: ['run-commits', integrationId, runId],
    queryFn: ({ signal }) =>
      getJson<RunCommits>(`/api/integrations/${integrationId}/workflows/${runId}/commits`, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'reading' ? askAgainMs : false),
  });
  if (data === undefined || data.state === 'none') return null;
  const url = safeUrl(
    compareUrl(data.repositoryUrl, data.lastGreen?.sha ?? null, data.firstRed?.sha ?? null),
  );
  return (
    <section aria-labelledby="commits-title">
      <h3 id="commits-title" className="mb-1 font-semibold">
        Commits since the last green run{' '}
        {data.state === 'read' && <span className="font-normal text-muted">{formatNumber(data.total)}</span>}
      </h3>
      {notes[data.state] && <p className="text-muted">{notes[data.state]}</p>}
      <CommitList repository={repository} range={data} />
      {url && (
        <OutsideLink href={url} about="at the forge" className="mt-1 text-xs">
          Compare both commits
        </OutsideLink>
      )}
    </section>
  );
}

function CommitList({ repository, range }: { repository: string; range: RunCommits }) {
  const [isWhole, setIsWhole] = useState(false);
  const { commits, total } = range;
  const shown = isWhole ? commits : commits.slice(-shownFirst);
  if (commits.length === 0) return null;
  return (
    <>
      <ol className="divide-y divide-line rounded-lg border border-line">
        {shown.map((commit) => (
          <Commit
            key={commit.sha}
            repository={repository}
            commit={commit}
            repositoryUrl={range.repositoryUrl}
          />
        ))}
      </ol>
      {shown.length < commits.length && (
        <Button className="mt-2" onClick={() => setIsWhole(true)}>
          Show all {formatNumber(commits.length)} commits
        </Button>
      )}
      {total > commits.length && (
        <p className="mt-1 text-xs text-muted">{formatNumber(total - commits.length)} more at the forge</p>
      )}
    </>
  );
}

function Commit({
  repository,
  commit,
  repositoryUrl,
}: {
  repository: string;
  commit: RangeCommit;
  repositoryUrl: string | null;
}) {
  const { sha, title, author, at, isOnBranch, pullRequest, files } = commit;
  return (
    <li className={`flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-1.5 ${isOnBranch ? '' : 'pl-8'}`}>
      <ShaLink sha={sha} repositoryUrl={repositoryUrl} />
      <bdi className="min-w-40 flex-1 wrap-anywhere">{clip(title ?? 'No message', 250)}</bdi>
      {pullRequest !== null && (
        <PullRequestLink repository={repository} number={pullRequest}>
          #{pullRequest}
        </PullRequestLink>
      )}
      <span className="text-muted">
        {author !== null && <bdi>{clip(author, 100)} </bdi>}
        {at !== null && <TimeAgo time={at} isFocusable />}
      </span>
      {files !== null && files.length > 0 && (
        <span className="inline-flex w-full items-baseline gap-1 text-xs text-failed">
          <FileWarning size={13} aria-hidden className="shrink-0 self-center" />
          <span>
            Changes <bdi className="font-mono wrap-anywhere">{files.join(', ')}</bdi>, which the error names
          </span>
        </span>
      )}
    </li>
  );
}

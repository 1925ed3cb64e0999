import { useQuery } from '@tanstack/react-query';
import type { PullRequestDetail } from '#contract/runs/pull-requests.ts';
import { getJson } from '../../api/client.ts';
import { readEvery } from '../../api/read-every.ts';
import { queryString } from '../../api/query-string.ts';
import { ApiError } from '../../api/problem.ts';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { useShortcuts } from '../../ui/keyboard/use-shortcuts.ts';
import { BackLink } from '../../ui/page/back-link.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Message } from '../../ui/page/message.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { NumberedTitle, PageHeader } from '../../ui/page/page-header.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TextLink } from '../../ui/text/text-link.tsx';
import { askEveryMs, pullRequestsPath } from '../pull-requests-path.ts';
import { usePullRequestChanges } from '../use-pull-request-changes.ts';
import { EarlierCommits, MergeQueue, NewestCommit } from './commit-checks.tsx';
import { PullRequestSummary } from './pull-request-summary.tsx';

interface PullRequestPageProps {
  integrationId: string;
  number: string;
  /** Undefined when the address does not name it. */
  repository: string | undefined;
  /** Back to the list with its filters. */
  onClose: () => void;
}

/** One pull request, live: the checks of its newest commit and of earlier ones, and why they are red. */
export function PullRequestPage({ integrationId, number, repository, onClose }: PullRequestPageProps) {
  const path = pullRequestsPath(integrationId);
  const reading = useQuery({
    queryKey: [path, number, repository],
    queryFn: ({ signal }) =>
      getJson<PullRequestDetail>(
        `${path}/${encodeURIComponent(number)}${queryString({ repository })}`,
        signal,
      ),
    refetchInterval: readEvery(askEveryMs),
  });
  const pull = reading.data?.pullRequest;
  usePullRequestChanges(integrationId, (data) => data.repository === pull?.repository);
  useShortcuts({ Escape: onClose });
  return (
    <>
      <PageHeader
        title={
          <>
            <BackLink integrationId={integrationId} list="pull-requests" onClose={onClose} />
            <NumberedTitle title={clip(pull?.title ?? 'Pull request', 300)} number={clip(number, 20)} />
          </>
        }
        end={<ConnectionMark />}
      />
      <PageBody>
        {isUnknown(reading.error) && pull === undefined ? (
          <NoPullRequest integrationId={integrationId} number={number} error={reading.error} />
        ) : (
          <Loaded reading={reading} what="pull request">
            {(detail) => <Detail detail={detail} />}
          </Loaded>
        )}
      </PageBody>
    </>
  );
}

const isUnknown = (error: Error | null): error is ApiError =>
  error instanceof ApiError && (error.status === 404 || error.status === 400);

/** A 400 means that several repositories have the number, or that it is none. */
function NoPullRequest({
  integrationId,
  number,
  error,
}: {
  integrationId: string;
  number: string;
  error: ApiError;
}) {
  const isAmbiguous = error.status === 400 && /^\d+$/.test(number);
  return (
    <Message title={isAmbiguous ? 'Several repositories have this number' : 'Pull request not found'}>
      <p className="text-muted">
        {isAmbiguous
          ? 'Choose the pull request from the list.'
          : 'The forge has sent no event of it, or it belongs to another integration.'}
      </p>
      <TextLink
        to="/integrations/$integrationId/pull-requests"
        params={{ integrationId }}
        search={{ show: 'all', q: clip(number, 100) }}
      >
        Search pull requests
      </TextLink>
    </Message>
  );
}

function Detail({ detail }: { detail: PullRequestDetail }) {
  const [newest, ...earlier] = detail.commits;
  return (
    <div className="mx-auto flex max-w-6xl flex-col gap-6 p-4 md:p-6">
      <PullRequestSummary detail={detail} />
      {newest && <NewestCommit commit={newest} />}
      <MergeQueue checks={detail.mergeQueue} />
      <EarlierCommits commits={earlier} />
      {!detail.isComplete && (
        <p className="text-muted">
          Older checks are left out. The list of runs has all of them: filter it by branch.
        </p>
      )}
    </div>
  );
}

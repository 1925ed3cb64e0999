import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MyPullRequests as Mine } from '#contract/runs/pull-requests.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { clip } from '../ui/text/clip.ts';
import { PullRequestTable } from './pull-request-table.tsx';
import { askEveryMs, pullRequestsPath } from './pull-requests-path.ts';

/** The open pull requests of the signed-in person, those that need attention first. */
export function MyPullRequests({ integrationId }: { integrationId: string }) {
  const path = pullRequestsPath(integrationId);
  const reading = useQuery({
    queryKey: [path, 'mine'],
    queryFn: ({ signal }) => getJson<Mine>(`${path}/mine`, signal),
    refetchInterval: readEvery(askEveryMs),
  });
  return (
    <Loaded reading={reading} what="pull requests">
      {({ forgeLogin, items }) => {
        if (forgeLogin === null) return <NoAccount integrationId={integrationId} />;
        if (items.length === 0) return <NothingOpen integrationId={integrationId} login={forgeLogin} />;
        return <PullRequestTable integrationId={integrationId} pullRequests={items} />;
      }}
    </Loaded>
  );
}

function NoAccount({ integrationId }: { integrationId: string }) {
  return (
    <Message title="Your account at the forge is not known">
      <p className="text-muted">
        Sign in with the forge, or ask the operator to send your login as{' '}
        <code className="font-mono">preferred_username</code>. Your open pull requests are then listed here.
      </p>
      <AllOpen integrationId={integrationId} />
    </Message>
  );
}

function NothingOpen({ integrationId, login }: { integrationId: string; login: string }) {
  return (
    <Message title="No open pull requests of yours">
      <p className="text-muted">
        Pull requests that <bdi className="font-medium">{clip(login, 100)}</bdi> opens are listed here with
        the state of their checks.
      </p>
      <AllOpen integrationId={integrationId} />
    </Message>
  );
}

function AllOpen({ integrationId }: { integrationId: string }) {
  return (
    <Link
      to="/integrations/$integrationId/pull-requests"
      params={{ integrationId }}
      search={{ show: 'open' }}
      className="text-accent underline"
    >
      Show all open pull requests
    </Link>
  );
}

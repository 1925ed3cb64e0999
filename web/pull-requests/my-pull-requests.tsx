import { useQuery } from '@tanstack/react-query';
import type { MyPullRequests as Mine } from '#contract/runs/pull-requests.ts';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { clip } from '../ui/text/clip.ts';
import { TextLink } from '../ui/text/text-link.tsx';
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
        if (forgeLogin === null) return <NoAccount />;
        if (items.length === 0) return <NothingOpen login={forgeLogin} />;
        return <PullRequestTable pullRequests={items} />;
      }}
    </Loaded>
  );
}

function NoAccount() {
  return (
    <Message title="Your account at the forge is not known">
      <p className="text-muted">
        Sign in with the forge, or ask the operator to send your login as{' '}
        <code className="font-mono">preferred_username</code>. Your open pull requests are then listed here.
      </p>
      <AllOpen />
    </Message>
  );
}

function NothingOpen({ login }: { login: string }) {
  return (
    <Message title="No open pull requests of yours">
      <p className="text-muted">
        Pull requests that <bdi className="font-medium">{clip(login, 100)}</bdi> opens are listed here with
        the state of their checks.
      </p>
      <AllOpen />
    </Message>
  );
}

function AllOpen() {
  const params = useIntegrationParams();
  return (
    <TextLink to="/integrations/$integrationId/pull-requests" params={params} search={{ show: 'open' }}>
      Show all open pull requests
    </TextLink>
  );
}

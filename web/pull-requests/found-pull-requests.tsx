import type { PullRequestItem } from '#contract/runs/pull-requests.ts';
import { usePages } from '../api/use-pages.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { MoreButton } from '../ui/table/more-button.tsx';
import { TextLink } from '../ui/text/text-link.tsx';
import { PullRequestTable } from './pull-request-table.tsx';
import { askEveryMs, pullRequestsPath } from './pull-requests-path.ts';

/** The pull requests that match, newest first. */
export function FoundPullRequests({
  integrationId,
  parameters,
}: {
  integrationId: string;
  parameters: { q: string | undefined; state: string | undefined };
}) {
  const { reading, more, isReadingMore } = usePages<PullRequestItem>(
    pullRequestsPath(integrationId),
    parameters,
    askEveryMs,
  );
  return (
    <>
      <Loaded reading={reading} what="pull requests">
        {(items) =>
          items.length === 0 ? (
            <NothingFound integrationId={integrationId} {...parameters} />
          ) : (
            <PullRequestTable pullRequests={items} isCut={more !== undefined} />
          )
        }
      </Loaded>
      <MoreButton more={more} isPending={isReadingMore} />
    </>
  );
}

function NothingFound({
  integrationId,
  q,
  state,
}: {
  integrationId: string;
  q: string | undefined;
  state: string | undefined;
}) {
  if (q !== undefined)
    return (
      <Message title="No pull request found">
        <p className="text-muted">
          Search for a number, a whole branch name, at least seven characters of a SHA, or words of a title.
        </p>
      </Message>
    );
  const to = { params: { integrationId } };
  return (
    <Message title={state === 'open' ? 'No open pull requests' : 'No pull requests'}>
      <p className="text-muted">
        They are listed here when the forge sends <code className="font-mono">pull_request</code> events.
      </p>
      {state === 'open' ? (
        <TextLink to="/integrations/$integrationId/pull-requests" search={{ show: 'all' }} {...to}>
          Show all pull requests
        </TextLink>
      ) : (
        <TextLink to="/integrations/$integrationId/connect" {...to}>
          Check the events of the webhook
        </TextLink>
      )}
    </Message>
  );
}

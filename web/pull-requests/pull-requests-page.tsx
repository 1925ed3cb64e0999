import { useQuery } from '@tanstack/react-query';
import type { MyPullRequests as Mine, PullRequestItem } from '#contract/runs/pull-requests.ts';
import { useUser } from '../identity/use-user.ts';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { SearchField } from '../ui/form/search-field.tsx';
import { useRowKeys } from '../ui/keyboard/use-row-keys.ts';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { SkeletonRows } from '../ui/table/skeleton.tsx';
import { getJson } from '../api/client.ts';
import { readEvery } from '../api/read-every.ts';
import { useIntegrationParams } from '../integrations/integration-params.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { clip } from '../ui/text/clip.ts';
import { TextLink } from '../ui/text/text-link.tsx';
import { usePages } from '../api/use-pages.ts';
import { MoreButton } from '../ui/table/more-button.tsx';
import { shownChoices, type PullRequestSearch, type Shown } from './pull-request-search.ts';
import { usePullRequestChanges } from './use-pull-request-changes.ts';
import { PullRequestTable } from './pull-request-table.tsx';
import { askEveryMs, pullRequestsPath } from './pull-requests-path.ts';

const shownNames: Record<Shown, string> = { mine: 'Mine', open: 'Open', all: 'All' };

/** The pull requests of an integration, live. */
export function PullRequestsPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: PullRequestSearch;
  /** `isTyping` adds no history step. */
  onChange: (change: PullRequestSearch, isTyping?: boolean) => void;
}) {
  const list = useRowKeys();
  const shown = useShown(search);
  usePullRequestChanges(integrationId, (data) => !('jobId' in data));
  return (
    <>
      <PageHeader title={<PageTitle>Pull requests</PageTitle>} end={<ConnectionMark />}>
        <search className="contents">
          <SearchField
            label="Number, branch or SHA"
            value={search.q ?? ''}
            onChange={(text) => onChange(searchOf(text, shown), true)}
          />
        </search>
        {shown && (
          <ChoiceRow
            label="Show"
            value={shown}
            choices={shownChoices.map((value) => ({ value, label: shownNames[value] }))}
            onChoose={(show) => onChange({ show, ...(show === 'mine' && { q: undefined }) })}
          />
        )}
      </PageHeader>
      <PageBody>
        <div ref={list}>
          {shown === undefined && <SkeletonRows label="Loading the pull requests" />}
          {shown === 'mine' && <MyPullRequests integrationId={integrationId} />}
          {(shown === 'open' || shown === 'all') && (
            <FoundPullRequests
              integrationId={integrationId}
              parameters={{ q: search.q, state: shown === 'open' ? 'open' : undefined }}
            />
          )}
        </div>
      </PageBody>
    </>
  );
}

/** Undefined until it is known whether the person has an account at the forge. */
function useShown({ show, q }: PullRequestSearch): Shown | undefined {
  const { data: user, isError } = useUser();
  if (show !== undefined) return show;
  if (q !== undefined) return 'all';
  if (user === undefined && !isError) return undefined;
  return (user?.forgeLogin ?? null) === null ? 'open' : 'mine';
}

/** A search goes beyond the person's own pull requests. */
function searchOf(text: string, shown: Shown | undefined): PullRequestSearch {
  const q = text.trim() === '' ? undefined : text;
  return { q, ...(q !== undefined && shown === 'mine' && { show: 'all' }) };
}

/** The open pull requests of the signed-in person, those that need attention first. */
function MyPullRequests({ integrationId }: { integrationId: string }) {
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

/** The pull requests that match, newest first. */
function FoundPullRequests({
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

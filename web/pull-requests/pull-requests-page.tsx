import { useUser } from '../identity/use-user.ts';
import { ConnectionMark } from '../ui/connection-mark.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { SearchField } from '../ui/form/search-field.tsx';
import { useRowKeys } from '../ui/keyboard/use-row-keys.ts';
import { PageBody } from '../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { SkeletonRows } from '../ui/table/skeleton.tsx';
import { FoundPullRequests } from './found-pull-requests.tsx';
import { MyPullRequests } from './my-pull-requests.tsx';
import { shownChoices, type PullRequestSearch, type Shown } from './pull-request-search.ts';
import { usePullRequestChanges } from './use-pull-request-changes.ts';

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

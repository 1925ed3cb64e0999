import type { FailureGroup } from '#contract/failures/failures.ts';
import { usePages } from '../../api/use-pages.ts';
import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { useRowKeys } from '../../ui/keyboard/use-row-keys.ts';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Message } from '../../ui/page/message.tsx';
import { NoMatches } from '../../ui/page/no-matches.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { MoreButton } from '../../ui/table/more-button.tsx';
import { NameFilter } from '../../runs/filter/name-filter.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { type FailureSearch, readStatus } from './failure-search.ts';
import { GroupTable } from './group-table.tsx';
import { groupsPath } from './groups-path.ts';
import { useNewFailures } from './use-new-failures.ts';
import { statusLabels } from './group-status-texts.ts';

/** Without a connection for live updates the list is read this often. */
const askEveryMs = 30_000;

/** The failure groups of an integration, live. */
export function FailuresPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: FailureSearch;
  /** `isTyping` adds no history step. */
  onChange: (change: FailureSearch, isTyping?: boolean) => void;
}) {
  const list = useRowKeys();
  const { reading, more, isReadingMore } = usePages<FailureGroup>(
    groupsPath(integrationId),
    search,
    askEveryMs,
  );
  useNewFailures(integrationId);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <>
      <PageHeader title={<PageTitle>Failures</PageTitle>} end={<ConnectionMark />}>
        <FailureFilters integrationId={integrationId} search={search} onChange={onChange} />
      </PageHeader>
      <PageBody>
        <div ref={list}>
          <Loaded reading={reading} what="failures">
            {(groups) =>
              groups.length === 0 ? (
                <NoFailures onClear={isFiltered ? () => onChange(withoutFilters(search)) : undefined} />
              ) : (
                <GroupTable integrationId={integrationId} groups={groups} isCut={more !== undefined} />
              )
            }
          </Loaded>
        </div>
        <MoreButton more={more} isPending={isReadingMore} />
      </PageBody>
    </>
  );
}

function withoutFilters(search: FailureSearch): FailureSearch {
  return Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
}

/** `onClear` removes the filters, if there are any. */
function NoFailures({ onClear }: { onClear: (() => void) | undefined }) {
  return onClear ? (
    <NoMatches what="failures" onClear={onClear} />
  ) : (
    <Message title="No failures">
      <p className="text-muted">Failed jobs are listed here, grouped by their cause, as soon as one fails.</p>
    </Message>
  );
}

const names = { repository: 'Repository', workflow: 'Workflow', branch: 'Branch' } as const;
const facets = Object.keys(names) as (keyof typeof names)[];

/** The filters of the failures page. */
function FailureFilters({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: FailureSearch;
  onChange: (change: FailureSearch, isTyping?: boolean) => void;
}) {
  return (
    <search className="contents">
      <SearchField
        label="Search error lines"
        value={search.q ?? ''}
        onChange={(text) => onChange({ q: text.trim() === '' ? undefined : text }, true)}
      />
      <FilterMenu
        name="Status"
        value={search.status}
        groups={[Object.entries(statusLabels).map(([value, label]) => ({ value, label }))]}
        onChoose={(value) => onChange({ status: readStatus(value) })}
      />
      {facets.map((facet) => (
        <NameFilter
          key={facet}
          integrationId={integrationId}
          facet={facet}
          name={names[facet]}
          value={search[facet]}
          onChoose={(value) => onChange({ [facet]: value })}
          isRemovable
        />
      ))}
    </search>
  );
}

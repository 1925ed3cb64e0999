import { NameFilter } from '../../runs/filter/name-filter.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { readStatus, type FailureSearch } from './failure-search.ts';
import { statusLabels } from './group-status-texts.ts';

const names = { repository: 'Repository', workflow: 'Workflow', branch: 'Branch' } as const;
const facets = Object.keys(names) as (keyof typeof names)[];

/** The filters of the failures page. */
export function FailureFilters({
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

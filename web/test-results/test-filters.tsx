import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { testStates, type TestFacets } from '#contract/tests/tests.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { SearchField } from '../ui/form/search-field.tsx';
import { formatNumber } from '../ui/locale.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { clip } from '../ui/text/clip.ts';
import { readState, type TestSearch } from './test-search.ts';
import { testsPath } from './tests-path.ts';
import { stateLabels } from './test-texts.ts';

interface FilterProps {
  integrationId: string;
  search: TestSearch;
  /** `isTyping` adds no history step. */
  onChange: (change: TestSearch, isTyping?: boolean) => void;
}

/** The counts of tests by their properties, each with the other filters. */
export function useTestFacets(
  integrationId: string,
  { sort: _sort, ...filter }: TestSearch,
  options: { enabled?: boolean; refetchInterval?: number } = {},
) {
  const path = `${testsPath(integrationId)}/facets`;
  return useQuery({
    queryKey: [testsPath(integrationId), 'facets', filter],
    queryFn: ({ signal }) => getJson<TestFacets>(path + queryString(filter), signal),
    placeholderData: (previous) => previous,
    ...options,
  });
}

/** The filters of the tests page. */
export function TestFilters(props: FilterProps) {
  const { search, onChange } = props;
  return (
    <search className="contents">
      <SearchField
        label="Search tests"
        placeholder="Search name, class or file"
        value={search.q ?? ''}
        onChange={(text) => onChange({ q: text.trim() === '' ? undefined : text }, true)}
      />
      <FacetMenu {...props} facet="state" name="State" none="Any that failed" />
      <FacetMenu {...props} facet="repository" name="Repository" />
      <FacetMenu {...props} facet="suite" name="Suite" />
    </search>
  );
}

function FacetMenu({
  integrationId,
  search,
  onChange,
  facet,
  name,
  none,
}: FilterProps & { facet: 'state' | 'repository' | 'suite'; name: string; none?: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useTestFacets(integrationId, search, { enabled: isOpen });
  const counts = new Map(data?.[facet].map(({ value, count }) => [value, count]));
  const value = search[facet];
  const values =
    facet === 'state'
      ? testStates
      : [...new Set([...(value === undefined ? [] : [value]), ...counts.keys()])].filter(Boolean);
  return (
    <FilterMenu
      name={name}
      value={value}
      isRemovable
      {...(none && { none })}
      groups={[
        values.map((each) => ({
          value: each,
          label: facet === 'state' ? stateLabels[each as keyof typeof stateLabels] : clip(each, 100),
          end: data && <Count count={counts.get(each) ?? 0} />,
        })),
      ]}
      onOpenChange={setOpen}
      note={error && `The tests could not be counted. ${error.message}`}
      onChoose={(chosen) => onChange({ [facet]: facet === 'state' ? readState(chosen) : chosen })}
    />
  );
}

function Count({ count }: { count: number }) {
  return (
    <span className="ml-auto shrink-0 pl-4 text-muted">
      {formatNumber(count)}
      <span className="sr-only">{count === 1 ? ' test' : ' tests'}</span>
    </span>
  );
}

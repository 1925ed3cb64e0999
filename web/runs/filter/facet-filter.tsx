import { useState } from 'react';
import type { RunFacet } from '#contract/runs/run-filter.ts';
import { splitValues } from '#contract/base/value-list.ts';
import { clip } from '../../ui/text/clip.ts';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { ChoiceCount } from './choice-count.tsx';
import { only } from '#contract/base/value-list.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import type { ChangeFilter } from './runs-toolbar.tsx';
import { facetsNote, useFacets } from './use-facets.ts';

/** Filters by a property, with the values that runs have. An address may name others, or several. */
export function FacetFilter({
  integrationId,
  facet,
  name,
  filter,
  onChange,
  opensAtOnce = false,
}: {
  integrationId: string;
  facet: RunFacet;
  name: string;
  filter: RunFilter;
  onChange: ChangeFilter;
  opensAtOnce?: boolean;
}) {
  const [isOpen, setOpen] = useState(opensAtOnce);
  const facets = useFacets(integrationId, filter, isOpen);
  const wanted = splitValues(filter[facet] ?? '');
  const counts = facets.data?.facets[facet] ?? [];
  const known = new Set(counts.map(({ value }) => value));
  const values = [...wanted.filter((value) => !known.has(value)), ...known];
  return (
    <FilterMenu
      name={name}
      value={wanted.length === 0 ? undefined : wanted.join(', ')}
      groups={[
        values.map((value) => ({
          value,
          label: clip(value, 100),
          end: <ChoiceCount count={counts.find((each) => each.value === value)?.count} />,
        })),
      ]}
      isRemovable
      opensAtOnce={opensAtOnce}
      note={facetsNote(facets, counts.length)}
      onChoose={(value) => onChange({ [facet]: value === undefined ? undefined : only(value) })}
      onOpenChange={setOpen}
    />
  );
}

import { useState } from 'react';
import { joinValues, splitValues } from '#contract/base/value-list.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { maxFilterLength, type RunFacet } from '#contract/runs/run-facets.ts';
import { MultiFilter } from '../../ui/menu/multi-filter.tsx';
import { clip } from '../../ui/text/clip.ts';
import { ChoiceCount } from './choice-count.tsx';
import { facetsNote, useFacets } from './use-facets.ts';

/** Changes part of the filter. `isTyping` adds no history step. */
export type ChangeFilter = (change: Partial<RunFilter>, isTyping?: boolean) => void;

/** Filters by the values of a property: those that runs have, or others that a person or an address names. */
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
  // The values do not depend on what is chosen of them, so they stay while a person chooses.
  const facets = useFacets(integrationId, { ...filter, [facet]: undefined }, isOpen);
  const chosen = splitValues(filter[facet] ?? '');
  const counts = facets.data?.facets[facet] ?? [];
  const known = new Set(counts.map(({ value }) => value));
  const values = [...chosen.filter((value) => !known.has(value)), ...known];
  return (
    <MultiFilter
      name={name}
      chosen={chosen}
      labelOf={(value) => value}
      choices={values.map((value) => ({
        value,
        label: clip(value, 100),
        end: <ChoiceCount count={counts.find((each) => each.value === value)?.count} />,
      }))}
      takesOthers
      opensAtOnce={opensAtOnce}
      note={facetsNote(facets, counts.length)}
      onChoose={(next) => onChange({ [facet]: listOf(next) })}
      onOpenChange={setOpen}
    />
  );
}

/** As many values as fit into a request, the newest of them. */
export function listOf(values: readonly string[]): string | undefined {
  const list = joinValues(values);
  if (list.length > maxFilterLength) return listOf(values.slice(1));
  return list === '' ? undefined : list;
}

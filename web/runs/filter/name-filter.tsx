import { useState } from 'react';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { clip } from '../../ui/text/clip.ts';
import { facetsNote, useFacets } from './use-facets.ts';

/** Offers the workflows or repositories of the newest runs. An address may name others. */
export function NameFilter({
  integrationId,
  facet,
  name,
  value,
  onChoose,
}: {
  integrationId: string;
  facet: 'workflow' | 'repository';
  name: string;
  value: string | undefined;
  onChoose: (value: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const facets = useFacets(integrationId, {}, isOpen);
  const names = facets.data?.facets[facet].map((each) => each.value) ?? [];
  const known = new Set([...(value === undefined ? [] : [value]), ...names.toSorted()]);
  return (
    <FilterMenu
      name={name}
      value={value}
      groups={[[...known].map((each) => ({ value: each, label: clip(each, 100) }))]}
      onChoose={onChoose}
      onOpenChange={setOpen}
      note={facetsNote(facets, names.length)}
    />
  );
}

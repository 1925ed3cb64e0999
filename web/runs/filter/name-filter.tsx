import { useState } from 'react';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { clip } from '../../ui/text/clip.ts';
import { facetsNote, useFacets } from './use-facets.ts';

/** Offers the names that the newest runs have. An address may name others. */
export function NameFilter({
  integrationId,
  facet,
  name,
  ...menu
}: {
  integrationId: string;
  facet: 'workflow' | 'repository' | 'branch';
  name: string;
  value: string | undefined;
  onChoose: (value: string | undefined) => void;
  isRemovable?: boolean;
  /** The choice without a value. */
  none?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const facets = useFacets(integrationId, {}, isOpen);
  const names = facets.data?.facets[facet].map((each) => each.value) ?? [];
  const known = new Set([...(menu.value === undefined ? [] : [menu.value]), ...names.toSorted()]);
  return (
    <FilterMenu
      name={name}
      {...menu}
      groups={[[...known].map((each) => ({ value: each, label: clip(each, 100) }))]}
      onOpenChange={setOpen}
      note={facetsNote(facets, names.length)}
    />
  );
}

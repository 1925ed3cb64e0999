import { useState } from 'react';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { clip } from '../ui/text/clip.ts';
import { facetsNote, useFacets } from '../runs/filter/use-facets.ts';

/** Offers the workflows of the newest runs. An address may name others. */
export function WorkflowFilter({
  integrationId,
  value,
  onChoose,
}: {
  integrationId: string;
  value: string | undefined;
  onChoose: (workflow: string | undefined) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const facets = useFacets(integrationId, {}, isOpen);
  const names = facets.data?.facets.workflow.map((facet) => facet.value) ?? [];
  const known = new Set([...(value === undefined ? [] : [value]), ...names.toSorted()]);
  return (
    <FilterMenu
      name="Workflow"
      value={value}
      groups={[[...known].map((name) => ({ value: name, label: clip(name, 100) }))]}
      onChoose={onChoose}
      onOpenChange={setOpen}
      note={facetsNote(facets, names.length)}
    />
  );
}

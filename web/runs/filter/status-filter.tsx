import { useState } from 'react';
import { splitValues } from '#contract/base/value-list.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import type { RunFacet } from '#contract/runs/run-facets.ts';
import { MultiFilter } from '../../ui/menu/multi-filter.tsx';
import { statusChoices, statusOf } from '../run-status.ts';
import { StatusIcon } from '../status-mark.tsx';
import { ChoiceCount } from './choice-count.tsx';
import { listOf, type ChangeFilter } from './facet-filter.tsx';
import { facetsNote, useFacets } from './use-facets.ts';

type Part = keyof typeof statusChoices & RunFacet;

/** Status and conclusion as one filter: the API compares `status` with both. */
export function StatusFilter({
  integrationId,
  filter,
  onChange,
}: {
  integrationId: string;
  filter: RunFilter;
  onChange: ChangeFilter;
}) {
  const [isOpen, setOpen] = useState(false);
  // Counts each of the two without the filter of the other.
  const others = { ...filter, status: undefined, conclusion: undefined };
  const facets = useFacets(integrationId, others, isOpen);
  const countOf = (part: Part, value: string): number | undefined =>
    facets.data && (facets.data.facets[part].find((each) => each.value === value)?.count ?? 0);
  const choicesOf = (part: Part) =>
    statusChoices[part].map((value) => ({
      value,
      label: statusOf(factsOf(value)).word,
      icon: <StatusIcon {...factsOf(value)} />,
      end: <ChoiceCount count={countOf(part, value)} />,
    }));
  return (
    <MultiFilter
      name="Status"
      chosen={splitValues(filter.conclusion ?? filter.status ?? '')}
      labelOf={(value) => statusOf(factsOf(value)).word}
      choices={[...choicesOf('status'), ...choicesOf('conclusion')]}
      note={facetsNote(facets)}
      onOpenChange={setOpen}
      onChoose={(next) => onChange({ status: listOf(next), conclusion: undefined })}
    />
  );
}

function factsOf(value: string): { status: string; conclusion: string | null } {
  const isStatus = statusChoices.status.some((status) => status === value);
  return isStatus ? { status: value, conclusion: null } : { status: 'completed', conclusion: value };
}

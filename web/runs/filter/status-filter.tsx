import { useState } from 'react';
import type { RunFacet } from '#contract/runs/run-filter.ts';
import { splitValues } from '#contract/base/value-list.ts';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { ChoiceCount } from './choice-count.tsx';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { statusChoices, statusOf } from '../run-status.ts';
import type { ChangeFilter } from './runs-toolbar.tsx';
import { StatusIcon } from '../status-mark.tsx';
import { facetsNote, useFacets } from './use-facets.ts';

type Part = keyof typeof statusChoices & RunFacet;

/** Status and conclusion as one filter. */
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
    statusChoices[part].map((value) => {
      const facts =
        part === 'status' ? { status: value, conclusion: null } : { status: 'completed', conclusion: value };
      return {
        value,
        label: statusOf(facts).word,
        icon: <StatusIcon {...facts} />,
        end: <ChoiceCount count={countOf(part, value)} />,
      };
    });
  const wanted = splitValues(filter.conclusion ?? filter.status ?? '');
  return (
    <FilterMenu
      name="Status"
      value={wanted.length === 0 ? undefined : wanted.join(', ')}
      groups={[choicesOf('status'), choicesOf('conclusion')]}
      isRemovable
      note={facetsNote(facets)}
      onOpenChange={setOpen}
      onChoose={(chosen) => {
        const isStatus = statusChoices.status.some((status) => status === chosen);
        onChange({ status: isStatus ? chosen : undefined, conclusion: isStatus ? undefined : chosen });
      }}
    />
  );
}

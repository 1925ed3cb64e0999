import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import type { RunFacet } from '#contract/runs/run-facets.ts';
import type { RunFilter } from '#contract/runs/run-filter.ts';
import { splitValues } from '#contract/base/value-list.ts';
import { clip } from '../../ui/text/clip.ts';
import { ChoiceMenu } from '../../ui/menu/menu.tsx';
import { FilterPill } from '../../ui/menu/filter-pill.tsx';
import { pill } from '../../ui/menu/pill.ts';
import { SearchField } from '../../ui/form/search-field.tsx';
import { exactTime } from '../../ui/time/exact-time.ts';
import { TimeFilter } from '../../ui/form/time-filter.tsx';
import { lazyPart } from '../../ui/page/lazy-part.tsx';
import { MultiFilter } from '../../ui/menu/multi-filter.tsx';
import { statusChoices, statusOf } from '../run-status.ts';
import { StatusIcon } from '../status-mark.tsx';
import { FacetFilter, type ChangeFilter, listOf } from './facet-filter.tsx';
import { ChoiceCount } from './choice-count.tsx';
import { facetsNote, useFacets } from './use-facets.ts';

const PullRequestDialog = lazyPart(
  'pull-request-dialog',
  'PullRequestDialog',
  () => import('./pull-request-dialog.tsx'),
);

interface ToolbarProps {
  integrationId: string;
  filter: RunFilter;
  onChange: ChangeFilter;
}

/** The filters of the run list. */
export function RunsToolbar(props: ToolbarProps) {
  const { filter, onChange } = props;
  return (
    <search className="contents">
      <SearchField
        label="Search runs"
        placeholder="Number, SHA, title, error…"
        value={filter.q ?? ''}
        onChange={(q) => onChange({ q: q.trim() === '' ? undefined : q }, true)}
      />
      <TimeFilter
        title="Time of creation"
        submit="Show runs"
        range={filter}
        hasLongSpan
        isRemovable
        onChange={({ from, to }) => onChange({ from, to })}
      />
      <StatusFilter {...props} />
      <FacetFilter {...props} facet="workflow" name="Workflow" />
      <FacetFilter {...props} facet="branch" name="Branch" />
      <RareFilters {...props} />
      <OtherFilters filter={filter} onChange={onChange} />
    </search>
  );
}

const rareNames = { repository: 'Repository', actor: 'Actor', event: 'Event' } as const satisfies Partial<
  Record<RunFacet, string>
>;
type RareFacet = keyof typeof rareNames;
const rareFacets = Object.keys(rareNames) as RareFacet[];

const pullRequest = { value: 'pullRequest', label: 'Pull request…' };

/** Rarely used filters. A menu offers them, and each appears once it is chosen. */
function RareFilters(props: ToolbarProps) {
  const [asked, setAsked] = useState<readonly RareFacet[]>([]);
  const isShown = (facet: RareFacet): boolean => asked.includes(facet) || props.filter[facet] !== undefined;
  const [asksNumber, setAsksNumber] = useState(false);
  const offered = [
    ...rareFacets
      .filter((facet) => !isShown(facet))
      .map((facet) => ({ value: facet, label: rareNames[facet] })),
    ...(props.filter.pullRequest === undefined ? [pullRequest] : []),
  ];
  const choose = (chosen: string): void => {
    if (chosen === pullRequest.value) setAsksNumber(true);
    else setAsked((all) => [...all, ...rareFacets.filter((each) => each === chosen)]);
  };
  return (
    <>
      {rareFacets.filter(isShown).map((facet) => (
        <FacetFilter
          key={facet}
          {...props}
          facet={facet}
          name={rareNames[facet]}
          opensAtOnce={asked.includes(facet)}
        />
      ))}
      {offered.length > 0 && (
        <ChoiceMenu label="More filters" className={pill.open} value="" groups={[offered]} onChoose={choose}>
          <Plus size={14} aria-hidden className="shrink-0" />
          More
        </ChoiceMenu>
      )}
      {asksNumber && (
        <PullRequestDialog
          onChoose={(number) => props.onChange({ pullRequest: number })}
          onClose={() => setAsksNumber(false)}
        />
      )}
    </>
  );
}

const otherNames = {
  pullRequest: 'Pull request',
  completedFrom: 'Completed from',
  completedTo: 'Completed before',
  branchClass: 'Branches',
  attempt: 'Attempt',
} as const;

function textOf(name: keyof typeof otherNames, value: string | number): string {
  if (name === 'branchClass') return value === 'default' ? 'default branch' : 'other branches';
  if (name === 'attempt') return value === 'later' ? 're-runs' : 'first';
  return name === 'pullRequest' ? clip(String(value), 60) : exactTime(String(value));
}

function OtherFilters({ filter, onChange }: { filter: RunFilter; onChange: ChangeFilter }) {
  const names = Object.keys(otherNames) as (keyof typeof otherNames)[];
  return names.map((name) => {
    const value = filter[name];
    if (value === undefined) return null;
    return (
      <FilterPill
        key={name}
        name={otherNames[name]}
        value={textOf(name, value)}
        onRemove={() => onChange({ [name]: undefined })}
      />
    );
  });
}

type Part = keyof typeof statusChoices & RunFacet;

/** Status and conclusion as one filter: the API compares `status` with both. */
function StatusFilter({
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

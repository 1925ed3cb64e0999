import X from 'lucide-react/icons/x';
import { clip } from '../ui/clip.ts';
import { FilterMenu } from '../ui/filter-menu.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { exactTime } from '../ui/time.tsx';
import type { RunFilter } from './run-filter.ts';
import { statusChoices, statusOf } from './run-status.ts';
import { StatusIcon } from './status-mark.tsx';
import { WorkflowFilter } from './workflow-filter.tsx';

/** Changes part of the filter; `isTyping` makes no step of its own to go back to. */
export type ChangeFilter = (change: Partial<RunFilter>, isTyping?: boolean) => void;

/** What narrows the list of runs: words, status, workflow, and whatever else the address names. */
export function RunsToolbar({
  integrationId,
  filter,
  onChange,
}: {
  integrationId: string;
  filter: RunFilter;
  onChange: ChangeFilter;
}) {
  return (
    <search className="contents">
      <SearchField
        label="Search title or number"
        value={filter.q ?? ''}
        onChange={(q) => onChange({ q: q.trim() === '' ? undefined : q }, true)}
      />
      <StatusFilter filter={filter} onChange={onChange} />
      <WorkflowFilter
        integrationId={integrationId}
        value={filter.workflow}
        onChoose={(workflow) => onChange({ workflow })}
      />
      <OtherFilters filter={filter} onChange={onChange} />
    </search>
  );
}

const statusGroups = [
  statusChoices.status.map((status) => statusChoice(status, null)),
  statusChoices.conclusion.map((conclusion) => statusChoice('completed', conclusion)),
];

function statusChoice(status: string, conclusion: string | null) {
  return {
    value: conclusion ?? status,
    label: statusOf({ status, conclusion }).word,
    icon: <StatusIcon status={status} conclusion={conclusion} />,
  };
}

function StatusFilter({ filter, onChange }: { filter: RunFilter; onChange: ChangeFilter }) {
  return (
    <FilterMenu
      name="Status"
      value={filter.conclusion ?? filter.status}
      groups={statusGroups}
      onChoose={(chosen) => {
        const isStatus = statusChoices.status.some((status) => status === chosen);
        onChange({ status: isStatus ? chosen : undefined, conclusion: isStatus ? undefined : chosen });
      }}
    />
  );
}

const otherNames = {
  repository: 'Repository',
  branch: 'Branch',
  actor: 'Actor',
  event: 'Event',
  pullRequest: 'Pull request',
  from: 'From',
  to: 'Until',
} as const;

function OtherFilters({ filter, onChange }: { filter: RunFilter; onChange: ChangeFilter }) {
  const names = Object.keys(otherNames) as (keyof typeof otherNames)[];
  return names.map((name) => {
    const value = filter[name];
    if (value === undefined) return null;
    const text = name === 'from' || name === 'to' ? exactTime(String(value)) : clip(String(value), 60);
    return (
      <button
        key={name}
        type="button"
        aria-label={`Remove filter ${otherNames[name]} ${text}`}
        className="inline-flex h-7 max-w-64 items-center gap-1.5 rounded-full border border-line-strong bg-hover px-2.5 pointer-coarse:h-9"
        onClick={() => onChange({ [name]: undefined })}
      >
        {otherNames[name]}
        <bdi className="truncate font-semibold">{text}</bdi>
        <X size={14} aria-hidden className="shrink-0" />
      </button>
    );
  });
}

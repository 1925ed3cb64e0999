import type { FailureGroup } from '#contract/failures/failures.ts';
import { SearchField } from '../../ui/form/search-field.tsx';
import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { clip } from '../../ui/text/clip.ts';
import { readFailureSearch, type FailureSearch } from './failure-search.ts';
import { statusLabels } from './group-status-texts.ts';

/** The filters of the failures page. Repositories, workflows and branches are those of the list. */
export function FailureFilters({
  search,
  groups,
  onChange,
}: {
  search: FailureSearch;
  groups: readonly FailureGroup[];
  onChange: (change: FailureSearch, isTyping?: boolean) => void;
}) {
  const { q, status, repository, workflow, branch } = search;
  return (
    <search className="contents">
      <SearchField
        label="Search error lines"
        value={q ?? ''}
        onChange={(text) => onChange({ q: text.trim() === '' ? undefined : text }, true)}
      />
      <FilterMenu
        name="Status"
        value={status}
        groups={[Object.entries(statusLabels).map(([value, label]) => ({ value, label }))]}
        onChoose={(value) => onChange({ status: readFailureSearch({ status: value }).status })}
      />
      <FilterMenu
        name="Repository"
        value={repository}
        groups={[choices(groups.map((group) => group.repository))]}
        onChoose={(value) => onChange({ repository: value })}
        isRemovable
      />
      <FilterMenu
        name="Workflow"
        value={workflow}
        groups={[choices(groups.flatMap((group) => group.workflow ?? []))]}
        onChoose={(value) => onChange({ workflow: value })}
        isRemovable
      />
      <FilterMenu
        name="Branch"
        value={branch}
        groups={[choices(groups.flatMap((group) => group.branches))]}
        onChoose={(value) => onChange({ branch: value })}
        isRemovable
      />
    </search>
  );
}

const maxChoices = 50;

function choices(values: readonly string[]) {
  const unique = [...new Set(values)].sort((a, b) => a.localeCompare(b)).slice(0, maxChoices);
  return unique.map((value) => ({ value, label: clip(value, 60) }));
}

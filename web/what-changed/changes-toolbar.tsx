import { BranchClassFilter } from '../metrics/filter/branch-class-filter.tsx';
import { PeriodFilter } from '../metrics/filter/period-filter.tsx';
import { NameFilter } from '../runs/filter/name-filter.tsx';
import { changeDays, defaultDays, type ChangesSearch } from './changes-search.ts';

/** Period and filters of the comparison. */
export function ChangesToolbar({
  integrationId,
  search: { days = defaultDays, from, to, repository, workflow, branch },
  onChange,
}: {
  integrationId: string;
  search: ChangesSearch;
  onChange: (change: ChangesSearch) => void;
}) {
  return (
    <search className="contents">
      <PeriodFilter days={days} from={from} to={to} choices={changeDays} onChange={onChange} />
      <NameFilter
        integrationId={integrationId}
        facet="repository"
        name="Repository"
        value={repository}
        onChoose={(chosen) => onChange({ repository: chosen })}
      />
      <NameFilter
        integrationId={integrationId}
        facet="workflow"
        name="Workflow"
        value={workflow}
        onChoose={(chosen) => onChange({ workflow: chosen })}
      />
      <BranchClassFilter value={branch} onChoose={(chosen) => onChange({ branch: chosen })} />
    </search>
  );
}

import { BranchClassFilter } from '../metrics/filter/branch-class-filter.tsx';
import { defaultDays, metricDays, type MetricsSearch } from '../metrics/metrics-search.ts';
import { PeriodFilter } from '../metrics/filter/period-filter.tsx';

/** Period and class of branches. */
export function WorkflowToolbar({
  search: { days = defaultDays, from, to, branch },
  onChange,
}: {
  search: MetricsSearch;
  onChange: (change: MetricsSearch) => void;
}) {
  return (
    <search className="contents">
      <PeriodFilter days={days} from={from} to={to} choices={metricDays} onChange={onChange} />
      <BranchClassFilter value={branch} onChoose={(chosen) => onChange({ branch: chosen })} />
    </search>
  );
}

import { metricGroupings, type MetricGrouping } from '#contract/metrics/metrics.ts';
import { NameFilter } from '../runs/filter/name-filter.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { clip } from '../ui/text/clip.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { FilterPill } from '../ui/menu/filter-pill.tsx';
import { BranchClassFilter } from './filter/branch-class-filter.tsx';
import { defaultDays, mayShowHours, metricDays, type MetricsSearch } from './metrics-search.ts';
import { PeriodFilter } from './filter/period-filter.tsx';

export type ChangeMetrics = (change: MetricsSearch) => void;

const groupNames: Record<MetricGrouping, string> = {
  repository: 'Repository',
  workflow: 'Workflow',
  job: 'Job',
  branch: 'Branch',
  runner: 'Runner',
};

/** Period, grouping and filters of the metrics. */
export function MetricsToolbar({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: MetricsSearch;
  onChange: ChangeMetrics;
}) {
  const { days = defaultDays, granularity, groupBy, workflow, branch, repository, runner, from, to } = search;
  return (
    <search className="contents">
      <PeriodFilter days={days} from={from} to={to} choices={metricDays} onChange={onChange} />
      {from === undefined && mayShowHours(days) && (
        <ChoiceRow
          label="By"
          value={granularity ?? (days <= 2 ? 'hour' : 'day')}
          choices={[
            { value: 'hour', label: 'Hours' },
            { value: 'day', label: 'Days' },
          ]}
          onChoose={(chosen) => onChange({ granularity: chosen })}
        />
      )}
      <FilterMenu
        name="Group by"
        none="Nothing"
        value={groupBy}
        groups={[metricGroupings.map((value) => ({ value, label: groupNames[value] }))]}
        onChoose={(chosen) => onChange({ groupBy: metricGroupings.find((each) => each === chosen) })}
      />
      <NameFilter
        integrationId={integrationId}
        facet="workflow"
        name="Workflow"
        value={workflow}
        onChoose={(chosen) => onChange({ workflow: chosen })}
      />
      <BranchClassFilter value={branch} onChoose={(chosen) => onChange({ branch: chosen })} />
      {Object.entries({ repository, runner }).map(
        ([name, value]) =>
          value !== undefined && (
            <FilterPill
              key={name}
              name={name}
              value={clip(value, 60)}
              onRemove={() => onChange({ [name]: undefined })}
            />
          ),
      )}
    </search>
  );
}

import X from 'lucide-react/icons/x';
import { metricGroupings, type MetricGrouping } from '#contract/metrics/metrics.ts';
import { NameFilter } from '../runs/filter/name-filter.tsx';
import { ChoiceRow } from '../ui/form/choice-row.tsx';
import { pill } from '../ui/menu/pill.ts';
import { timeRangeText } from '../ui/time/time-range.ts';
import { clip } from '../ui/text/clip.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import {
  defaultDays,
  mayShowHours,
  metricDays,
  type MetricDays,
  type MetricsSearch,
} from './metrics-search.ts';

export type ChangeMetrics = (change: MetricsSearch) => void;

export const dayNames: Record<MetricDays, string> = {
  1: '24 hours',
  2: '2 days',
  7: '7 days',
  14: '14 days',
  30: '30 days',
  90: '90 days',
  365: '1 year',
};

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
      {from !== undefined && to !== undefined && (
        <button
          type="button"
          aria-label={`Remove filter range ${timeRangeText({ from, to })}`}
          className={pill.set}
          onClick={() => onChange({ from: undefined, to: undefined })}
        >
          range <bdi className="truncate font-semibold">{timeRangeText({ from, to })}</bdi>
          <X size={14} aria-hidden className="shrink-0" />
        </button>
      )}
      <FilterMenu
        name="Time"
        value={from === undefined ? String(days) : undefined}
        groups={[metricDays.map((each) => ({ value: String(each), label: dayNames[each] }))]}
        onChoose={(chosen) =>
          onChange({
            days: metricDays.find((each) => String(each) === chosen),
            from: undefined,
            to: undefined,
          })
        }
      />
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
      <FilterMenu
        name="Branch"
        value={branch}
        groups={[
          [
            { value: 'default', label: 'Default' },
            { value: 'other', label: 'Others' },
          ],
        ]}
        onChoose={(chosen) =>
          onChange({ branch: chosen === 'default' || chosen === 'other' ? chosen : undefined })
        }
      />
      {Object.entries({ repository, runner }).map(
        ([name, value]) =>
          value !== undefined && (
            <button
              key={name}
              type="button"
              aria-label={`Remove filter ${name} ${value}`}
              className={pill.set}
              onClick={() => onChange({ [name]: undefined })}
            >
              {name} <bdi className="truncate font-semibold">{clip(value, 60)}</bdi>
              <X size={14} aria-hidden className="shrink-0" />
            </button>
          ),
      )}
    </search>
  );
}

import X from 'lucide-react/icons/x';
import { defaultDays, metricDays, type MetricsSearch } from '../metrics/metrics-search.ts';
import { dayNames } from '../metrics/metrics-toolbar.tsx';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { pill } from '../ui/menu/pill.ts';
import { timeRangeText } from '../ui/time/time-range.ts';

/** Period and class of branches. */
export function WorkflowToolbar({
  search: { days = defaultDays, from, to, branch },
  onChange,
}: {
  search: MetricsSearch;
  onChange: (change: MetricsSearch) => void;
}) {
  const range = from === undefined ? undefined : timeRangeText({ from, to });
  const noRange = { from: undefined, to: undefined };
  return (
    <search className="contents">
      {range !== undefined && (
        <button
          type="button"
          aria-label={`Remove filter range ${range}`}
          className={pill.set}
          onClick={() => onChange(noRange)}
        >
          range <bdi className="truncate font-semibold">{range}</bdi>
          <X size={14} aria-hidden className="shrink-0" />
        </button>
      )}
      <FilterMenu
        name="Time"
        value={range === undefined ? String(days) : undefined}
        groups={[metricDays.map((each) => ({ value: String(each), label: dayNames[each] }))]}
        onChoose={(chosen) =>
          onChange({ ...noRange, days: metricDays.find((each) => String(each) === chosen) })
        }
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
    </search>
  );
}

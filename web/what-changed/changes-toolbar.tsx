import X from 'lucide-react/icons/x';
import { NameFilter } from '../runs/filter/name-filter.tsx';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { pill } from '../ui/menu/pill.ts';
import { timeRangeText } from '../ui/time/time-range.ts';
import { changeDays, defaultDays, type ChangeDays, type ChangesSearch } from './changes-search.ts';

const dayNames: Record<ChangeDays, string> = {
  1: '24 hours',
  2: '2 days',
  7: '7 days',
  14: '14 days',
  30: '30 days',
  90: '90 days',
};

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
        groups={[changeDays.map((each) => ({ value: String(each), label: dayNames[each] }))]}
        onChoose={(chosen) =>
          onChange({ ...noRange, days: changeDays.find((each) => String(each) === chosen) })
        }
      />
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

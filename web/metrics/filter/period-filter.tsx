import { FilterMenu } from '../../ui/menu/filter-menu.tsx';
import { FilterPill } from '../../ui/menu/filter-pill.tsx';
import type { MetricDays } from '../metrics-search.ts';
import { periodText } from './period-text.ts';

const dayNames: Record<MetricDays, string> = {
  1: '24 hours',
  2: '2 days',
  7: '7 days',
  14: '14 days',
  30: '30 days',
  90: '90 days',
  365: '1 year',
};

/** Days back from now, or a range that a link or chart has set. */
export function PeriodFilter<Days extends MetricDays>({
  days,
  from,
  to,
  choices,
  onChange,
}: {
  days: Days;
  from: string | undefined;
  to: string | undefined;
  choices: readonly Days[];
  onChange: (change: { days?: Days | undefined; from: undefined; to: undefined }) => void;
}) {
  const range = from && to && periodText({ from, to });
  const noRange = { from: undefined, to: undefined };
  return (
    <>
      {range && <FilterPill name="range" value={range} onRemove={() => onChange(noRange)} />}
      <FilterMenu
        name="Time"
        value={range ? undefined : String(days)}
        groups={[choices.map((each) => ({ value: String(each), label: dayNames[each] }))]}
        onChoose={(chosen) => onChange({ ...noRange, days: choices.find((each) => String(each) === chosen) })}
      />
    </>
  );
}

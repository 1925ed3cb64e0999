import { useState } from 'react';
import { FilterMenu } from '../menu/filter-menu.tsx';
import { lazyPart } from '../page/lazy-part.tsx';
import { timeRangeText, type TimeRange } from '../time/time-range.ts';

const TimesDialog = lazyPart('times-dialog', 'TimesDialog', () => import('./times-dialog.tsx'));

const hourMs = 3_600_000;
const spans = [
  { value: String(hourMs), label: 'Last hour' },
  { value: String(24 * hourMs), label: 'Last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'Last 7 days' },
];
const longSpan = { value: String(30 * 24 * hourMs), label: 'Last 30 days' };
const own = { value: 'own', label: 'Choose times…' };

/** Filters by time: a recent period or a custom range. */
export function TimeFilter({
  title,
  submit,
  range,
  hasLongSpan = false,
  isRemovable = false,
  onChange,
}: {
  /** Title and button of the dialog for a custom range. */
  title: string;
  submit: string;
  range: TimeRange;
  hasLongSpan?: boolean;
  isRemovable?: boolean;
  onChange: (range: TimeRange) => void;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const choose = (value: string | undefined): void => {
    if (value === own.value) setChoosing(true);
    else if (value === undefined) onChange({ from: undefined, to: undefined });
    else onChange({ from: new Date(Date.now() - Number(value)).toISOString(), to: undefined });
  };
  return (
    <>
      <FilterMenu
        name="Time"
        value={timeRangeText(range)}
        groups={[hasLongSpan ? [...spans, longSpan] : spans, [own]]}
        isRemovable={isRemovable}
        onChoose={choose}
      />
      {isChoosing && (
        <TimesDialog
          title={title}
          submit={submit}
          range={range}
          onChange={onChange}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}
